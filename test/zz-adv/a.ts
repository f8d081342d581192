import { startTestApp, tinyPng } from '#test/support/test-app.ts';
const app = await startTestApp({ env: { LOG_LEVEL: 'error' } });
const show = (label: string, a: any, hs: string[] = []) => console.log(label.padEnd(60), a.status, hs.map((h) => `${h}=${a.headers.get(h)}`).join(' '), JSON.stringify(a.body)?.slice(0, 260));
try {
  const cookie = await app.signIn();
  const viewer = await app.addPerson('viewer');
  const rows = ['/api/dashboard/context', '/api/dashboard/members', '/api/dashboard/keys', '/api/dashboard/documents', '/api/dashboard/runs', '/api/dashboard/audit', '/api/dashboard/documents/chats', '/api/dashboard/workflows'];
  for (const r of rows) show('GET ' + r, await app.call('GET', r, { cookie }), ['cache-control', 'www-authenticate', 'x-request-id']);
  show('401', await app.call('GET', '/api/dashboard/members'), ['cache-control', 'www-authenticate']);
  show('403', await app.call('GET', '/api/dashboard/audit', { cookie: viewer.cookie }), ['cache-control', 'www-authenticate']);
  show('404', await app.call('GET', '/api/dashboard/documents/doc_x', { cookie }), ['cache-control', 'www-authenticate']);
  show('400 org', await app.call('GET', '/api/dashboard/members?organizationId=', { cookie }), ['www-authenticate']);
  show('org twice', await app.call('GET', `/api/dashboard/members?organizationId=${app.seed.organizationId}&organizationId=org_x`, { cookie }));
  show('org array', await app.call('GET', `/api/dashboard/members?organizationId[]=${app.seed.organizationId}`, { cookie }));
  show('org proto', await app.call('GET', `/api/dashboard/members?__proto__=1&constructor=2`, { cookie }));
  show('org NUL', await app.call('GET', `/api/dashboard/members?organizationId=%00`, { cookie }));
  show('bad pct', await app.call('GET', `/api/dashboard/documents/%E0%A4%A`, { cookie }));
  // two cookies
  show('two cookies owner,viewer', await app.call('GET', '/api/auth/get-session', { cookie: `${cookie}; ${viewer.cookie}` }));
  show('two cookies viewer,owner', await app.call('GET', '/api/auth/get-session', { cookie: `${viewer.cookie}; ${cookie}` }));
  for (const [n, c] of [['owner,viewer', `${cookie}; ${viewer.cookie}`], ['viewer,owner', `${viewer.cookie}; ${cookie}`], ['junk,owner', `app.session_token=junk; ${cookie}`], ['owner,junk', `${cookie}; app.session_token=junk`]]) {
    show('  context ' + n, await app.call('GET', '/api/dashboard/audit', { cookie: c }));
    show('  sessions ' + n, await app.call('GET', '/api/auth/list-sessions', { cookie: c }));
  }
  show('10k cookie', await app.call('GET', '/api/dashboard/members', { cookie: `${cookie}; x=${'a'.repeat(10_000)}` }));
  show('20k cookie', await app.call('GET', '/api/dashboard/members', { cookie: `${cookie}; x=${'a'.repeat(20_000)}` }).catch((e) => ({ status: String(e.cause ?? e), headers: new Headers(), body: null })));
  show('long session cookie', await app.call('GET', '/api/dashboard/members', { cookie: `app.session_token=${'a'.repeat(9_000)}` }));
  show('cookie %', await app.call('GET', '/api/dashboard/members', { cookie: `app.session_token=%E0%A4%A` }));
  show('cookie NUL', await app.call('GET', '/api/dashboard/members', { cookie: `app.session_token=%00%00.aaa` }));
  show('cookie noname prefix', await app.call('GET', '/api/dashboard/members', { cookie: `xapp.session_token=${cookie.split('=')[1]}` }));
  show('cookie quoted', await app.call('GET', '/api/dashboard/members', { cookie: `app.session_token="${decodeURIComponent(cookie.split('=').slice(1).join('='))}"` }));
  show('key+cookie', await app.call('GET', '/api/dashboard/documents', { cookie, key: app.seed.serviceKey }));
  show('badkey+cookie', await app.call('GET', '/api/dashboard/documents', { cookie, key: 'nope' }));
  show('svc key only', await app.call('GET', '/api/dashboard/documents', { key: app.seed.serviceKey }), ['www-authenticate']);
  // methods
  for (const m of ['HEAD', 'OPTIONS', 'PUT', 'TRACE1', 'POST', 'PATCH', 'DELETE']) {
    const a = await app.call(m, '/api/dashboard/members', { cookie }).catch((e) => ({ status: String(e), headers: new Headers(), body: null }));
    show(m + ' members', a as any, ['allow', 'access-control-allow-origin', 'content-type', 'cache-control']);
  }
  show('override', await app.call('POST', '/api/dashboard/members?_method=DELETE', { cookie, body: {}, headers: { 'x-http-method-override': 'DELETE' } }));
  show('case', await app.call('GET', '/API/dashboard/members', { cookie }));
  show('slash', await app.call('GET', '/api/dashboard/members/', { cookie }));
  show('double slash', await app.call('GET', '/api//dashboard/members', { cookie }));
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  show('form PATCH', await app.call('PATCH', '/api/dashboard/projects/' + app.seed.projectId, { cookie, raw: 'name=x', headers: form }));
  show('form DELETE', await app.call('DELETE', '/api/dashboard/documents/doc_1', { cookie, raw: 'name=x', headers: form }));
  show('text DELETE foreign', await app.call('DELETE', '/api/dashboard/documents/doc_1', { cookie, headers: { origin: 'https://evil.example' } }));
  show('DELETE w/ JSON body', await app.call('DELETE', '/api/dashboard/documents/doc_1', { cookie, body: { a: 1 } }));
  show('DELETE no body', await app.call('DELETE', '/api/dashboard/documents/doc_1', { cookie }));
  show('rotate form no body', await app.call('POST', '/api/dashboard/keys/key_1/rotate', { cookie, headers: form, raw: '' }));
  show('rotate text', await app.call('POST', '/api/dashboard/keys/key_1/rotate', { cookie, raw: 'x=1', headers: { 'content-type': 'text/plain' } }));
  show('rotate body json', await app.call('POST', '/api/dashboard/keys/key_1/rotate', { cookie, body: { x: 1 } }));
  show('charset', await app.call('POST', '/api/dashboard/projects', { cookie, raw: Buffer.from(JSON.stringify({ name: 'utf16' }), 'utf16le'), headers: { 'content-type': 'application/json; charset=utf-16le' } }));
} finally { await app[Symbol.asyncDispose](); }
