/* Messages between a view and its host. Source: SEP-1865 (MCP Apps). */
const pending = new Map();
const handlers = {};
let lastId = 0;

const post = (message) => globalThis.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');

export function request(method, params) {
  lastId += 1;
  const id = lastId;
  const { promise, resolve, reject } = Promise.withResolvers();
  pending.set(id, { resolve, reject });
  post({ id, method, params });
  return promise;
}

function settle({ id, result, error }) {
  const waiting = pending.get(id);
  pending.delete(id);
  if (error === undefined) waiting?.resolve(result);
  else waiting?.reject(new Error(String(error.message)));
}

globalThis.addEventListener('message', ({ source, data }) => {
  if (source !== globalThis.parent || data?.jsonrpc !== '2.0') return;
  if (data.method === undefined) settle(data);
  else if (data.id === undefined) handlers[data.method]?.(data.params ?? {});
  else if (data.method === 'ping' || data.method === 'ui/resource-teardown') post({ id: data.id, result: {} });
  else post({ id: data.id, error: { code: -32_601, message: 'Method not found' } });
});

function adapt({ theme, styles }) {
  const { documentElement: root } = document;
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  const { '--color-text-primary': text, '--color-text-secondary': soft } = styles?.variables ?? {};
  if (text) root.style.setProperty('--text', text);
  if (soft) root.style.setProperty('--soft', soft);
}

/** Initializes the view and calls `show` with each result. Returns the host's capabilities. */
export async function begin(name, show) {
  handlers['ui/notifications/tool-result'] = show;
  handlers['ui/notifications/tool-cancelled'] = () =>
    write(document.body, element('p', 'soft', 'The call was canceled.'));
  handlers['ui/notifications/host-context-changed'] = adapt;
  const host = await request('ui/initialize', {
    appInfo: { name, version: '1' },
    appCapabilities: {},
    protocolVersion: '2026-01-26',
  });
  adapt(host.hostContext ?? {});
  post({ method: 'ui/notifications/initialized' });
  new ResizeObserver(() => {
    const { scrollHeight: height } = document.documentElement;
    post({ method: 'ui/notifications/size-changed', params: { height } });
  }).observe(document.body);
  return host.hostCapabilities ?? {};
}

/* Children are inserted as text, since names and messages are untrusted. */
export function element(tag, className, ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children.filter((child) => child !== null));
  return made;
}

export function drawn(tag, attributes, ...children) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...children);
  return made;
}

export const write = (place, ...children) => place.replaceChildren(...children.filter((child) => child !== null));

export function table(names, rows, className = '') {
  return element(
    'div',
    `canvas ${className}`.trim(),
    element(
      'table',
      '',
      element('thead', '', element('tr', '', ...names.map((name) => element('th', '', name)))),
      element('tbody', '', ...rows),
    ),
  );
}

/** Shows a result as text when there is nothing to draw. */
export function words({ content = [] }) {
  return element('pre', '', content.flatMap(({ type, text }) => (type === 'text' ? [text] : [])).join('\n'));
}
