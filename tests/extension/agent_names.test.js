import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import vm from 'node:vm';

const FILES = ['deeds', 'names'].map((name) => new URL(`../../src/tabwright/extension/content/agent/${name}.js`, import.meta.url));

/** The part alone, in a world of its own: it needs no document. */
const load = () => {
  const context = vm.createContext({});
  const parts = {};
  context[Symbol.for('tabwright.agent')] = { part: (name, make) => { parts[name] = make({ get: (other) => parts[other] }); } };
  for (const file of FILES) vm.runInContext(readFileSync(file, 'utf8'), context);
  return parts.names;
};
const names = load();

for (const [text, name] of [
  ['Star this repo', 'star_repo'],
  ['Star 12.3k', 'star'],
  ['Inbox (3)', 'inbox'],
  ['Sign up for our newsletter!', 'sign_up_for_newsletter'],
  ['Terms & Conditions', 'terms_and_conditions'],
  ['Größe ändern', 'grosse_andern'],
  ['Сохранить', 'sokhranit'],
  ["Don't save", 'dont_save'],
  ['E-mail me', 'email_me'],
]) {
  test(`“${text}” is the tool ${name}`, () => assert.equal(names.verb(text), name));
}

test('a text without a letter of ours falls back', () => {
  assert.equal(names.verb('登录', 'submit_form'), 'submit_form');
  assert.equal(names.verb('删除账户', 'press'), 'delete');
  assert.equal(names.form({ submit: '保存', headings: ['客户'] }), 'save');
  assert.equal(names.verb('', ''), 'action');
});

test('a name has at most 48 characters and ends with a whole word', () => {
  const name = names.verb('Congratulations extraordinary circumstances notwithstanding everything else');
  assert.equal(name, 'congratulations_extraordinary_circumstances');
  assert.ok(names.verb('x'.repeat(500)).length <= 48);
});

for (const [field, property] of [
  [{ name: 'departDate', id: 'd1', label: 'Departure' }, 'departDate'],
  [{ name: 'q', id: 'searchbar', label: 'Search' }, 'searchbar'],
  [{ name: 'q', search: true }, 'query'],
  [{ name: 'user[email]', id: 'user_email', label: 'Your e-mail' }, 'user_email'],
  [{ name: 'user[email]', label: '' }, 'userEmail'],
  [{ id: 'mat-input-3', label: 'Date of birth' }, 'dateOfBirth'],
  [{ id: ':r1:', label: 'Full name *' }, 'fullName'],
  [{ id: 'mantine-pjrseuplb', label: 'City' }, 'city'],
  [{ id: 'field-_r_a___control', label: 'Team' }, 'team'],
  [{ name: 'el-id-622-19', label: 'Resources' }, 'resources'],
  [{ name: 'ion-input-0', label: 'Full name' }, 'fullName'],
  [{ name: 'radio-group-v-36', label: 'Plan' }, 'plan'],
  [{ name: 'address_2', label: 'Second line' }, 'address_2'],
  [{ label: '密码' }, 'value'],
  [{ id: 'field-1001', label: 'petId' }, 'petId'],
  [{ label: 'X-Request-ID' }, 'xRequestId'],
]) {
  test(`${JSON.stringify(field)} is the property ${property}`, () => assert.equal(names.property(field), property));
}

test('a second tool of a name is counted, around names that are taken', () => {
  assert.deepEqual([...names.unique(['search', 'search', 'search_2', 'search'])], ['search', 'search_3', 'search_2', 'search_4']);
});

for (const [hints, name] of [
  [{ submit: 'Search flights', headings: ['Fly away'], purpose: 'search' }, 'search_flights'],
  [{ submit: 'Search', headings: ['Flights'], purpose: 'search' }, 'search_flights'],
  [{ labels: ['Search inbox'], purpose: 'search' }, 'search_inbox'],
  [{ labels: ['Search'], headings: ['Inbox'], purpose: 'search' }, 'search_inbox'],
  [{ labels: ['Search or jump to…'], purpose: 'search' }, 'search'],
  [{ submit: 'Search', headings: ['Select user to change'], purpose: 'search' }, 'search_user'],
  [{ submit: 'Log in', purpose: 'login' }, 'log_in'],
  [{ submit: 'Go', purpose: 'login' }, 'log_in'],
  [{ submit: 'Save', headings: ['Profile'] }, 'save_profile'],
  [{ submit: 'Save changes', headings: ['Profile'] }, 'save_profile'],
  [{ submit: 'Save', ids: ['profileForm'] }, 'save_profile'],
  [{ submit: 'Save', headings: ['Add user'] }, 'add_user'],
  [{ submit: 'Save', headings: ['ann', 'Change user'] }, 'change_user'],
  [{ submit: 'OK', headings: ['Rename file'] }, 'rename_file'],
  [{ submit: 'Submit', headings: ['Feedback'] }, 'submit_feedback'],
  [{ submit: 'Invite', headings: ['Invite member'] }, 'invite_member'],
  [{ submit: 'Create', headings: ['New project'] }, 'create_project'],
  [{ submit: 'Send', labels: ['Type a message'] }, 'send_message'],
  [{ submit: 'Subscribe', headings: ['Newsletter'] }, 'subscribe'],
  [{ submit: 'Execute', headings: ['GET /pets Find pets by status'] }, 'find_pets_by_status'],
  [{ submit: 'Execute', headings: ['DELETE /pets/{petId}'] }, 'delete_pets_by_pet_id'],
  [{ submit: 'Try it out', headings: ['Parameters'] }, 'try_it_out'],
  [{ submit: 'Submit' }, 'submit_form'],
]) {
  test(`a form with ${JSON.stringify(hints)} is ${name}`, () => assert.equal(names.form(hints), name));
}
