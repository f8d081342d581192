import { oauthPaths } from '#src/contracts/oauth.ts';
import { createBrowser, type Browser } from '#test/support/dashboard/browser.ts';
import { challenge } from '#test/support/oauth/records.ts';
import type { TestApp } from '#test/support/test-app.ts';

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;
export type Fields = readonly (readonly [name: string, value: string])[];

/** Facts of a page that are read from its markup. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Redirect to a program: its address without the response, and the response. */
  readonly landed: { readonly at: string; readonly said: Readonly<Record<string, string>> } | null;
}

const pairs = (query: Query): [string, string][] =>
  Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
  );

const usual = {
  response_type: 'code',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state: 'st&te=1 %',
} as const;

/** The address of a request; `undefined` leaves a usual parameter out. */
export const authorizePath = (query: Query): string =>
  `${oauthPaths.authorize}?${new URLSearchParams(pairs({ ...usual, ...query })).toString()}`;

async function seen(response: Response): Promise<Seen> {
  const location = response.headers.get('location');
  const [at = '', answer = ''] = location?.split(/\?(?!.*\?)/) ?? [];
  const landed = location === null ? null : { at, said: Object.fromEntries(new URLSearchParams(answer)) };
  return { status: response.status, headers: response.headers, html: await response.text(), landed };
}

const attribute = (tag: string, name: string): string | undefined =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&').replaceAll('&#39;', "'");

/** Fields that a browser would send of the form as it is: hidden fields, what is checked, what is selected. */
export function fieldsOf(html: string, action: string): Fields {
  const form = [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].find(
    ([text]) => attribute(text, 'action') === action,
  );
  if (form === undefined) throw new Error(`no form to ${action}: ${html.slice(html.indexOf('<main'))}`);
  const inputs = [...form[0].matchAll(/<input\b[^>]*>/g)].flatMap(([tag]) => {
    const isSent = tag.includes('type="hidden"') || (/\schecked\b/.test(tag) && !/\sdisabled\b/.test(tag));
    return isSent ? [[attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? ''] as const] : [];
  });
  const selects = [...form[0].matchAll(/<select\b[^>]*name="(\w+)"[\s\S]*?<option value="([^"]*)"\s+selected/g)];
  return [...inputs, ...selects.map(([, name = '', value = '']) => [name, value] as const)];
}

export const boxesOf = (fields: Fields, name: string): string[] =>
  fields.filter(([one]) => one === name).map(([, value]) => value);

/** The fields with others in the place of some. */
export function withFields(fields: Fields, change: Query): Fields {
  return [...fields.filter(([name]) => !(name in change)), ...pairs(change)];
}

/** A person's browser at the pages of consent. */
export interface ConsentBrowser {
  readonly browser: Browser;
  get(path: string): Promise<Seen>;
  post(fields: Fields, more?: { readonly path?: string; readonly headers?: Record<string, string> }): Promise<Seen>;
}

/** Defaults to the seeded owner, in a session of its own, at the address that the app names. */
export async function consentBrowser(
  app: TestApp,
  person?: { readonly cookie: string },
  address = app.addresses.api,
): Promise<ConsentBrowser> {
  const browser = createBrowser(app, address);
  const { origin } = new URL(address);
  const [, cookieName = '', secret = ''] = /^([^=]+)=(.*)$/.exec(person?.cookie ?? (await app.signIn())) ?? [];
  browser.cookies.set(cookieName, secret);
  // Brings the cookie of the forms.
  await browser.open('/organizations');
  const ask = async (path: string, init: RequestInit): Promise<Seen> => {
    const headers = { accept: 'text/html', cookie: browser.cookie(), ...(init.headers as Record<string, string>) };
    return seen(await fetch(new URL(path, origin), { ...init, headers, redirect: 'manual' }));
  };
  return {
    browser,
    get: (path) => ask(path, {}),
    post: (fields, { path = oauthPaths.decide, headers = {} } = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin, ...headers },
        body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])).toString(),
      }),
  };
}
