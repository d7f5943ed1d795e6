import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkCdp, checkUrl } from '../../src/tabwright/extension/common/floor.js';

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
]) {
  test(`${url}, a metadata address, is denied`, () => assert.throws(() => checkUrl(url), denied));
}

for (const url of [
  'http://127.0.0.1:8765/', 'http://localhost:3456/', 'http://a.localhost:3456/', 'http://[::1]:3456/',
  'http://localhost:9222/json', 'http://127.1:9229/', 'http://0.0.0.0:3456/', 'http://127.1:3456/', 'http://[::ffff:127.0.0.1]:8765/', 'http://localhost.:3456/',
]) {
  test(`${url}, an address of the gateway, is denied`, () => assert.throws(() => checkUrl(url), denied));
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
  'evaluate', '', '.', 'Runtime', '__proto__.x',
]) {
  test(`"${method}" is denied`, () => assert.throws(() => checkCdp(method, {}), denied));
}

test('cookies of the page itself may be read, those of named addresses not', () => {
  checkCdp('Network.getCookies', {});
  assert.throws(() => checkCdp('Network.getCookies', { urls: ['https://bank.example'] }), denied);
});

test('navigating through the debugger meets the same rules', () => {
  checkCdp('Page.navigate', { url: 'https://example.com' });
  assert.throws(() => checkCdp('Page.navigate', { url: 'file:///etc/passwd' }), denied);
});
