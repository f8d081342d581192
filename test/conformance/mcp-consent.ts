import { oauthPaths } from '#src/contracts/oauth.ts';

const attribute = (tag: string, name: string): string | null =>
  new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1]?.replaceAll('&amp;', '&') ?? null;

/** Fields that a browser would send of the form as it is shown. */
function fieldsOf(form: string): URLSearchParams {
  const fields = new URLSearchParams();
  for (const [tag] of form.matchAll(/<input\b[^>]*>/g)) {
    const isBox = ['checkbox', 'radio'].includes(attribute(tag, 'type') ?? '');
    if (/\bdisabled\b/.test(tag) || (isBox && !/\bchecked\b/.test(tag))) continue;
    fields.append(attribute(tag, 'name') ?? '', attribute(tag, 'value') ?? '');
  }
  return fields;
}

const cookies = (response: Response): string[] =>
  response.headers.getSetCookie().map((line) => line.slice(0, line.indexOf(';')));

/** Opens the address as a signed-in person, allows what is asked as the page suggests it, and goes where that leads. */
export async function allowAsShown(authorizationUrl: string, cookie: string): Promise<void> {
  const page = await fetch(authorizationUrl, { headers: { cookie }, redirect: 'manual' });
  const html = await page.text();
  const start = html.search(new RegExp(`<form[^>]*action="${oauthPaths.decide}"`));
  if (start < 0) throw new Error(`no form to consent in: ${page.status} ${html.slice(0, 500)}`);
  const fields = fieldsOf(html.slice(start, html.indexOf('</form>', start)));
  fields.set('act', 'allow');
  const { origin } = new URL(authorizationUrl);
  const decision = await fetch(new URL(oauthPaths.decide, origin), {
    method: 'POST',
    headers: { cookie: [cookie, ...cookies(page)].join('; '), origin },
    body: fields,
    redirect: 'manual',
  });
  const callback = decision.headers.get('location');
  if (callback === null) throw new Error(`consent led nowhere: ${decision.status} ${await decision.text()}`);
  await (await fetch(callback)).text();
}
