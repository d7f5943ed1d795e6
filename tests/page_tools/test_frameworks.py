"""Forms of pages built with React and Vue: what is filled in reaches the state behind them, as if it were typed."""

import subprocess
from functools import cache
from typing import Final

import pytest

from tests.conftest import Site
from tests.gateway import GatewayProcess
from tests.page_tools.pages import HERE, PACKAGES
from tests.page_tools.visit import visiting

pytestmark = pytest.mark.browser

REACT: Final = """
import { createElement as h, useState } from 'react';
import { createRoot } from 'react-dom/client';
function Todos() {
  const [todos, setTodos] = useState(['Buy milk']);
  const [text, setText] = useState('');
  const add = (event) => { if (event.key === 'Enter' && text) { setTodos([...todos, text]); setText(''); } };
  return h('section', null, h('h1', null, 'todos'),
    h('input', { className: 'new-todo', placeholder: 'What needs to be done?', value: text,
      onChange: (event) => setText(event.target.value), onKeyDown: add }),
    h('ul', null, todos.map((todo) => h('li', { key: todo }, h('label', null, todo)))));
}
function Account() {
  const [state, setState] = useState({ name: '', plan: 'free', news: false });
  const [told, setTold] = useState('');
  const [error, setError] = useState('');
  const set = (more) => setState({ ...state, ...more });
  const save = (event) => {
    event.preventDefault();
    setError(state.name ? '' : 'Name is required');
    if (!state.name) return;
    setTold('Saving');
    setTimeout(() => setTold(`Saved ${JSON.stringify(state)}`), 300);
  };
  return h('section', null, h('h2', null, 'Account'), h('form', { onSubmit: save },
    h('label', null, 'Name ',
      h('input', { value: state.name, onChange: (event) => set({ name: event.target.value }) })),
    error && h('p', { className: 'error' }, error),
    h('label', null, 'Plan ', h('select', { value: state.plan, onChange: (event) => set({ plan: event.target.value }) },
      h('option', { value: 'free' }, 'Free'), h('option', { value: 'pro' }, 'Pro'))),
    h('label', null, h('input', { type: 'checkbox', checked: state.news,
      onChange: (event) => set({ news: event.target.checked }) }), ' Newsletter'),
    h('button', { disabled: state.name === 'nobody' }, 'Save')),
    h('div', { role: 'status', 'aria-busy': told === 'Saving' }, told));
}
createRoot(document.body.appendChild(document.createElement('div'))).render(h('main', null, h(Todos), h(Account)));
"""

VUE: Final = """
import { createApp, h, reactive, vModelCheckbox, vModelSelect, vModelText, withDirectives } from 'vue';
const state = reactive({ todos: ['Buy milk'], text: '', city: '', colour: 'red', agree: false, told: '' });
const model = (node, directive, key, modifiers = {}) => {
  node.props['onUpdate:modelValue'] = (value) => { state[key] = value; };
  return withDirectives(node, [[directive, state[key], '', modifiers]]);
};
const add = (event) => { if (event.key === 'Enter' && state.text) { state.todos.push(state.text); state.text = ''; } };
createApp({ render: () => h('main', [
  h('section', [h('h1', 'todos'),
    model(h('input', { class: 'new-todo', placeholder: 'What needs to be done?', onKeyup: add }), vModelText, 'text'),
    h('ul', state.todos.map((todo) => h('li', [h('label', todo)])))]),
  h('div', [h('h3', 'Order'),
    h('label', ['City ', model(h('input', {}), vModelText, 'city', { lazy: true })]),
    h('label', ['Colour ', model(h('select', {}, [h('option', { value: 'red' }, 'Red'),
      h('option', { value: 'blue' }, 'Blue')]), vModelSelect, 'colour')]),
    h('label', [model(h('input', { type: 'checkbox' }), vModelCheckbox, 'agree'), ' Agree']),
    h('button', { onClick: () => { state.told = JSON.stringify([state.city, state.colour, state.agree]); } },
      'Place order'),
    h('p', state.told)]),
]) }).mount(document.body.appendChild(document.createElement('div')));
"""


@cache
def page(source: str) -> str:
    command = [PACKAGES / ".bin" / "esbuild", "--bundle", "--format=iife", "--platform=browser", "--log-level=error"]
    production = ['--define:process.env.NODE_ENV="production"', "--minify"]
    done = subprocess.run([*command, *production], input=source, capture_output=True, text=True, cwd=HERE, check=True)
    script = done.stdout.replace("</script", "<\\/script")
    return f"<title>App</title><body><script>{script}</script></body>"


async def test_react_notices_what_is_filled_in(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(page(REACT))
        assert {"add_todo", "save_account"} <= set(tools)
        assert "New on the page: “Walk the dog" in await visit.call("add_todo", whatNeedsToBeDone="Walk the dog")
        assert "Name is required" in await visit.refused("save_account", name="")
        told = await visit.call("save_account", name="Ann", plan="Pro", newsletter=True)
        assert '{"name":"Ann","plan":"pro","news":true}' in told
        assert "stays disabled" in await visit.refused("save_account", name="nobody")


async def test_a_tool_does_not_change_with_what_is_typed(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        before = (await visit.open(page(REACT)))["save_account"]
        await visit.call("save_account", name="Ann", plan="Pro", newsletter=True)
        assert (await visit.tools())["save_account"].input_schema == before.input_schema


async def test_vue_notices_what_is_filled_in(shared: GatewayProcess, site: Site) -> None:
    async with visiting(shared, site) as visit:
        tools = await visit.open(page(VUE))
        assert {"add_todo", "place_order"} <= set(tools)
        assert "Walk the dog" in await visit.call("add_todo", whatNeedsToBeDone="Walk the dog")
        assert '["Rome","blue",true]' in await visit.call("place_order", city="Rome", colour="Blue", agree=True)
