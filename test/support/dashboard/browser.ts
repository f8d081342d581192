import type { TestApp } from '#test/support/test-app.ts';

export interface Shown {
  readonly status: number;
  /** Target of the last redirect, or the address that was asked for. */
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
  readonly title: string;
}

export interface Browser {
  open(path: string): Promise<Shown>;
  /** Fills the form of the page shown last that posts to `action` and sends it; hidden fields go along. */
  send(action: string, fields?: Readonly<Record<string, string>>): Promise<Shown>;
  cookie(): string;
  cookies: Map<string, string>;
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescaped(found);
};

function hiddenFields(html: string, action: string): Record<string, string> {
  const form = [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].find(
    ([text]) => attribute(text, 'action') === action,
  );
  if (form === undefined) throw new Error(`the page has no form to ${action}: ${html.slice(html.indexOf('<main'))}`);
  const inputs = [...form[0].matchAll(/<input\b[^>]*>/g)]
    .map(([tag]) => tag)
    .filter((tag) => tag.includes('type="hidden"'));
  return Object.fromEntries(inputs.map((tag) => [attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? '']));
}

/** As much of a browser as a page without scripts needs: cookies, redirects, forms with their hidden fields. */
export function createBrowser(app: TestApp, base = app.addresses.api): Browser {
  const cookies = new Map<string, string>();
  let shown = '';
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const request = async (path: string, init: RequestInit): Promise<Shown> => {
    const headers = { accept: 'text/html,*/*;q=0.8', cookie: cookie(), ...(init.headers as Record<string, string>) };
    const response = await fetch(new URL(path, base), { ...init, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/Max-Age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (response.status === 303 && location?.startsWith('/') === true) return request(location, {});
    shown = await response.text();
    const title = unescaped(/<title>([^<]*)<\/title>/.exec(shown)?.[1] ?? '');
    return { status: response.status, path, headers: response.headers, html: shown, title };
  };
  return {
    open: (path) => request(path, {}),
    send: (action, fields = {}) =>
      request(action, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          origin: new URL(base).origin,
          'sec-fetch-site': 'same-origin',
        },
        body: new URLSearchParams({ ...hiddenFields(shown, action), ...fields }).toString(),
      }),
    cookie,
    cookies,
  };
}
