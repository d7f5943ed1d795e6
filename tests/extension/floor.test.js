import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCdp, checkPage, checkUrl } from '../../src/tabwright/extension/common/floor.js';

const denied = { code: -32006, data: { code: 'denied' } };

test('web addresses and about:blank may be opened', () => {
  assert.equal(checkUrl('https://example.com'), 'https://example.com/');
  assert.equal(checkUrl('http://127.0.0.1:8000/a?b#c'), 'http://127.0.0.1:8000/a?b#c');
  assert.equal(checkUrl('about:blank'), 'about:blank');
});

for (const url of [
  'file:///etc/passwd', 'chrome://settings', 'javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)',
  'data:text/html,x', 'blob:https://example.com/1', 'view-source:https://example.com', 'about:config',
  'chrome-extension://dpkekkdbbmdkdninljfoipajbjonchlb/ui/pair.html', 'devtools://devtools/', 'ftp://example.com/',
]) {
  test(`${url} is denied`, () => assert.throws(() => checkUrl(url), denied));
}

for (const url of [
  'http://169.254.169.254/latest/meta-data', 'http://0xa9fea9fe/', 'http://[fd00:ec2::254]/',
  'http://metadata.google.internal./computeMetadata', 'http://169.254.1.2/', 'http://[::ffff:169.254.169.254]/',
  'http://metadata.goog/', 'http://instance-data/', 'http://192.0.0.192/opc/v2/', 'http://[::ffff:100.100.100.200]/',
  'http://[fd00:ec2::23]/', 'http://[fe80::a9fe:a9fe]/', 'http://169.254.169.254.nip.io/', 'http://a-169-254-169-254.sslip.io/',
  'http://a9fea9fe.nip.io/',
]) {
  test(`${url}, a metadata address, is denied`, () => assert.throws(() => checkUrl(url), denied));
}

for (const url of [
  'http://127.0.0.1:8765/', 'http://localhost:3456/', 'http://a.localhost:3456/', 'http://[::1]:3456/',
  'http://localhost:9222/json', 'http://127.1:9229/', 'http://0.0.0.0:3456/', 'http://127.1:3456/', 'http://[::ffff:127.0.0.1]:8765/', 'http://localhost.:3456/',
  'http://127.0.0.1.nip.io:3456/', 'http://7f000001.nip.io:9222/',
]) {
  test(`${url}, an address of the gateway, is denied`, () => assert.throws(() => checkUrl(url), denied));
}

for (const url of ['https://metadata.example/', 'https://nip.io/', 'https://1.2.3.4.nip.io/', 'http://[fd00:ec3::1]/']) {
  test(`${url} may be opened`, () => assert.equal(checkUrl(url), url));
}

for (const url of [
  'http://127.0.0.1:3456/', 'view-source:http://localhost:3456/', 'blob:http://127.0.0.1:3456/1', 'http://127.0.0.1:9222/json',
  'http://169.254.169.254/', 'file:///etc/passwd',
]) {
  test(`a page at ${url} can only be left`, () => assert.throws(() => checkPage(url), denied));
}

for (const url of ['', 'about:blank', 'http://127.0.0.1:8000/', 'https://example.com/', 'chrome-extension://abc/x.html', 'data:text/html,x']) {
  test(`a page at "${url}" is nobody's secret`, () => checkPage(url));
}

test('what is no URL is a wrong parameter, not a denial', () => {
  assert.throws(() => checkUrl('example'), { code: -32602 });
});

for (const method of [
  'Runtime.evaluate', 'Page.captureScreenshot', 'Input.dispatchMouseEvent', 'Target.setAutoAttach', 'Network.enable',
  'WebMCP.enable', 'Accessibility.getFullAXTree', 'DOM.setFileInputFiles', 'Fetch.enable', 'IO.read',
]) {
  test(`${method} passes`, () => checkCdp(method, {}));
}

for (const method of [
  'Network.getAllCookies', 'Network.setCookie', 'Network.setCookies', 'Network.deleteCookies', 'Page.getCookies',
  'Network.clearBrowserCookies', 'Storage.getCookies', 'Storage.setCookies', 'Storage.clearCookies',
  'Storage.clearDataForOrigin', 'Target.createTarget', 'Target.getTargets', 'Target.attachToTarget',
  'Browser.getVersion', 'Tracing.start', 'CacheStorage.requestCacheNames', 'Extensions.loadUnpacked', 'Page.crash',
  'Network.loadNetworkResource', 'evaluate', '', '.', 'Runtime', '__proto__.x',
]) {
  test(`"${method}" is denied`, () => assert.throws(() => checkCdp(method, {}), denied));
}

test('cookies of the page itself may be read, those of named addresses not', () => {
  checkCdp('Network.getCookies', {});
  assert.throws(() => checkCdp('Network.getCookies', { urls: ['https://bank.example'] }), denied);
});

test('navigating through the debugger meets the same rules', () => {
  for (const method of ['Page.navigate', 'Fetch.continueRequest']) {
    checkCdp(method, { url: 'https://example.com' });
    for (const url of ['file:///etc/passwd', 'http://169.254.169.254/', 'http://127.0.0.1:3456/']) {
      assert.throws(() => checkCdp(method, { url }), denied);
    }
  }
  checkCdp('Fetch.continueRequest', { requestId: '1' });
});
