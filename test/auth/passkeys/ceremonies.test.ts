import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openOnWarmThread } from '#embedded-test/engine.ts';
import { passkeysMax } from '#src/contracts/passkeys.ts';
import { revocableCertificate } from '#test/auth/passkeys/revocable-certificate.ts';
import type { Lies, Passkey } from '#test/auth/passkeys/authenticator.ts';
import { cookiesOf, createPasskeyClient, type PasskeyClient } from '#test/auth/passkeys/passkey-client.ts';
import { pointersOf, problemOf } from '#test/spec/support/replies.ts';
import { startTestApp, type Person, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
let client: PasskeyClient;
let database: MongoClient;
let engine: Awaited<ReturnType<typeof openOnWarmThread>>;
beforeAll(async () => {
  app = await startTestApp({ env: { SERVICES: 'api', HOST: 'localhost' }, overrides: { sessionStore: null } });
  client = createPasskeyClient(app);
  engine = await openOnWarmThread({ dataDir: app.dataDir });
  database = await new MongoClient(engine.uri).connect();
});
afterAll(async () => {
  await database.close();
  await engine.close();
  await app[Symbol.asyncDispose]();
});

const context = (cookie: string) => app.call('GET', '/api/dashboard/context', { cookie });
const listOf = async (cookie: string) => (await client.call('passkey/list-user-passkeys', cookie)).body.passkeys;
const rows = (name: string) => database.db('inkgraph').collection(name);

interface Owner extends Person {
  readonly passkey: Passkey;
  readonly passkeyId: string;
}
async function withPasskey(name = 'Laptop'): Promise<Owner> {
  const person = await app.addPerson('editor');
  const { answer, passkey } = await client.register(person.cookie, name);
  expect(answer.status).toBe(200);
  return { ...person, passkey, passkeyId: answer.body.id };
}

const lies: readonly (readonly [string, Lies])[] = [
  ['of a page of another origin', { origin: 'https://ink.example.org' }],
  ['of another port of the same host', { origin: 'http://localhost:1' }],
  ['for another host name', { rpId: 'example.com' }],
  ['to another challenge', { challenge: 'c29tZXRoaW5nIGVsc2U' }],
  ['without user verification', { isVerified: false }],
];

describe('A passkey', () => {
  verifies('auth.passkey.sign_in', async () => {
    const person = await withPasskey();
    const { options, cookie } = await client.begin('authenticate');
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(options).not.toHaveProperty('allowCredentials');
    const response = client.authenticator.sign(person.passkey, options);
    const done = await client.call('passkey/verify-authentication', cookie, { response });
    expect(done).toMatchObject({ status: 200, body: { user: { id: person.userId, email: person.email } } });
    expect(Object.keys(done.body)).toEqual(['user', 'redirect']);
    expect((await context(cookiesOf(done))).status).toBe(200);
    // The same answer again, also at the same moment, opens nothing.
    problemOf(await client.call('passkey/verify-authentication', cookie, { response }), 'request.invalid');
    const again = await client.begin('authenticate');
    const sent = { response: client.authenticator.sign(person.passkey, again.options) };
    const both = await Promise.all([1, 2].map(() => client.call('passkey/verify-authentication', again.cookie, sent)));
    expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 400]));
  });

  test('is registered with user verification and without attestation, listed, renamed and deleted', async () => {
    const person = await app.addPerson('editor');
    const { options } = await client.begin('register', person.cookie);
    expect(options).toMatchObject({
      rp: { id: 'localhost', name: 'Inkgraph' },
      user: { name: person.email },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    });
    const { answer, passkey } = await client.register(person.cookie, '  Laptop  ');
    const id = String(answer.body.id);
    expect(answer.body).toEqual({ id: expect.stringMatching(/^pk_/), name: 'Laptop' });
    const known = { id, name: 'Laptop', createdAt: expect.any(String), lastUsedAt: null, isSynced: true };
    expect(await listOf(person.cookie)).toEqual([known]);
    expect((await client.begin('register', person.cookie)).options).toMatchObject({
      excludeCredentials: [{ id: passkey.id.toString('base64url') }],
    });
    expect((await client.register(person.cookie)).answer.body.name).toBe('1Password');
    await client.signIn(passkey);
    expect((await client.call('passkey/update-passkey', person.cookie, { id, name: 'Desk' })).body).toEqual({
      success: true,
    });
    expect((await listOf(person.cookie))[0]).toEqual({ ...known, name: 'Desk', lastUsedAt: expect.any(String) });
    expect((await client.call('passkey/delete-passkey', person.cookie, { id })).body).toEqual({ success: true });
    expect(await listOf(person.cookie)).toHaveLength(1);
    problemOf(await client.signIn(passkey), 'auth.unauthorized');
    problemOf(await client.call('passkey/delete-passkey', person.cookie, { id }), 'passkey.not_found');
  });

  test('of an authenticator that does not count works again and again', async () => {
    const person = await app.addPerson('editor');
    const synced = createPasskeyClient(app, { counts: false });
    const { passkey } = await synced.register(person.cookie);
    for (const _time of [1, 2]) expect((await synced.signIn(passkey)).status).toBe(200);
  });

  test('signs in a person with codes without asking for a code, and not inside a session', async () => {
    const person = await withPasskey();
    await rows('users').updateOne({ _id: person.userId as never }, { $set: { twoFactorEnabled: true } });
    expect((await context(cookiesOf(await client.signIn(person.passkey)))).status).toBe(200);
    const { options, cookie } = await client.begin('authenticate', person.cookie);
    const response = client.authenticator.sign(person.passkey, options);
    const refused = await client.call('passkey/verify-authentication', cookie, { response });
    expect(problemOf(refused, 'request.invalid').detail).toContain('/api/auth/reauthenticate');
  });
});

describe('A registration', () => {
  test.each(lies)('%s is refused', async (_name, lie) => {
    const person = await app.addPerson('editor');
    const { answer } = await client.register(person.cookie, 'Laptop', lie);
    expect(pointersOf(problemOf(answer, 'request.invalid'))).toEqual(['/response']);
    expect(await listOf(person.cookie)).toEqual([]);
  });

  test('works once, in the session that began it, and not with the challenge of a sign-in', async () => {
    const [mine, theirs] = [await app.addPerson('editor'), await app.addPerson('editor')];
    const { options, cookie } = await client.begin('register', mine.cookie);
    const { response } = client.authenticator.register(options);
    const challenge = cookie.slice(mine.cookie.length);
    const other = await app.signIn(mine);
    for (const session of [theirs.cookie, other]) {
      const refused = await client.call('passkey/verify-registration', session + challenge, { response });
      expect(problemOf(refused, 'request.invalid').errors).toMatchObject([{ code: 'challenge' }]);
    }
    problemOf(await client.call('passkey/verify-registration', mine.cookie, { response }), 'request.invalid');
    expect((await client.call('passkey/verify-registration', cookie, { response })).status).toBe(200);
    problemOf(await client.call('passkey/verify-registration', cookie, { response }), 'request.invalid');
    const signingIn = await client.begin('authenticate', mine.cookie);
    const wrong = client.authenticator.register(signingIn.options, { rpId: 'localhost' });
    const used = await client.call('passkey/verify-registration', signingIn.cookie, { response: wrong.response });
    expect(problemOf(used, 'request.invalid').errors).toMatchObject([{ code: 'challenge' }]);
    expect(await listOf(mine.cookie)).toHaveLength(1);
    expect(await listOf(theirs.cookie)).toEqual([]);
  });

  test('of the id of another person, also at the same moment, is refused', async () => {
    const [mine, theirs] = [await withPasskey(), await app.addPerson('editor')];
    const taken = { credentialId: mine.passkey.id };
    const { answer } = await client.register(theirs.cookie, 'Copy', taken);
    expect(problemOf(answer, 'request.invalid').errors).toMatchObject([{ code: 'taken' }]);
    const free = { credentialId: Buffer.from('the same id for both of them') };
    const people = [await app.addPerson('editor'), await app.addPerson('editor')];
    const both = await Promise.all(people.map(({ cookie }) => client.register(cookie, 'Copy', free)));
    expect(new Set(both.map((one) => one.answer.status))).toEqual(new Set([200, 400]));
    expect((await client.signIn(mine.passkey)).body.user.id).toBe(mine.userId);
  });

  test('with certificates is refused before anything is fetched from the addresses in them', async () => {
    const person = await app.addPerson('editor');
    const attStmt = new Map<string, unknown>([['x5c', [new Uint8Array(revocableCertificate)]]]);
    const fetched = vi.spyOn(globalThis, 'fetch');
    try {
      for (const fmt of ['apple', 'android-key', 'packed', 'fido-u2f', 'tpm']) {
        const { answer } = await client.register(person.cookie, 'Laptop', { attestation: { fmt, attStmt } });
        expect(pointersOf(problemOf(answer, 'request.invalid'))).toEqual(['/response']);
      }
      const asked = fetched.mock.calls.map(([input]) => new Request(input).url);
      expect(asked.filter((address) => !address.startsWith(app.addresses.api))).toEqual([]);
    } finally {
      fetched.mockRestore();
    }
  });

  test('of one passkey too many is refused, and bytes that are no CBOR are', async () => {
    const person = await app.addPerson('editor');
    const { options, cookie } = await client.begin('register', person.cookie);
    const { response } = client.authenticator.register(options) as { response: any };
    for (const attestationObject of ['AAAA', 'n'.repeat(8_000), Buffer.alloc(5_000, 0x81).toString('base64url')]) {
      const broken = { ...response, response: { ...response.response, attestationObject } };
      const answer = await client.call('passkey/verify-registration', cookie, { response: broken });
      expect(pointersOf(problemOf(answer, 'request.invalid'))).toEqual(['/response']);
    }
    const longer = { ...response, response: { ...response.response, attestationObject: 'A'.repeat(8_001) } };
    problemOf(await client.call('passkey/verify-registration', cookie, { response: longer }), 'request.invalid');
    for (let count = 0; count < passkeysMax; count += 1)
      expect((await client.register(person.cookie)).answer.status).toBe(200);
    const { answer } = await client.register(person.cookie);
    expect(problemOf(answer, 'request.invalid').errors).toMatchObject([{ code: 'too_many' }]);
  });

  test('and a deletion need a recent sign-in, for which a passkey is enough', async () => {
    const person = await withPasskey();
    const createdAt = new Date(Date.now() - 16 * 60_000);
    await rows('sessions').updateMany({ userId: person.userId }, { $set: { createdAt }, $unset: { provedAt: 1 } });
    const id = person.passkeyId;
    problemOf(await client.call('passkey/generate-register-options', person.cookie), 'auth.reauthentication_required');
    problemOf(await client.call('passkey/delete-passkey', person.cookie, { id }), 'auth.reauthentication_required');
    const asking = await app.call('GET', '/reauthenticate', { cookie: person.cookie });
    expect(asking.body).toContain('data-passkey="prove"');
    const { response } = client.authenticator.register({ challenge: 'AAAA' });
    problemOf(
      await client.call('passkey/verify-registration', person.cookie, { response }),
      'auth.reauthentication_required',
    );
    const proved = await client.prove(person.passkey, person.cookie);
    expect(proved).toMatchObject({ status: 200, body: { provedAt: expect.any(String) } });
    expect(cookiesOf(proved)).toBe('');
    // Also a day after the sign-in, where the library would ask for a fresh one.
    await rows('sessions').updateMany(
      { userId: person.userId },
      { $set: { createdAt: new Date(Date.now() - 2 * 86_400_000) } },
    );
    expect((await client.register(person.cookie)).answer.status).toBe(200);
    expect((await client.call('passkey/delete-passkey', person.cookie, { id })).status).toBe(200);
  });
});

describe('A sign-in with a passkey', () => {
  test.each(lies)('%s is refused', async (_name, lie) => {
    const person = await withPasskey();
    problemOf(await client.signIn(person.passkey, lie), 'auth.unauthorized');
    // The attempt used up its challenge, and nothing else.
    person.passkey.counter = 0;
    expect((await client.signIn(person.passkey)).status).toBe(200);
  });

  test('whose counter goes back or stands still is refused, as that of a copy', async () => {
    const { passkey } = await withPasskey();
    expect((await client.signIn(passkey, { counter: 7 })).status).toBe(200);
    for (const counter of [7, 6, 0]) problemOf(await client.signIn(passkey, { counter }), 'auth.unauthorized');
    expect((await client.signIn(passkey, { counter: 8 })).status).toBe(200);
    // One of two copies at the same moment gets in.
    const begun = [await client.begin('authenticate'), await client.begin('authenticate')];
    const replies = await Promise.all(
      begun.map(({ options, cookie }) => {
        const response = client.authenticator.sign(passkey, options, { counter: 9 });
        return client.call('passkey/verify-authentication', cookie, { response });
      }),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 401]));
  });

  test('with the id of another credential, an unknown one, or the challenge of another browser is refused', async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()];
    problemOf(await client.signIn(mine.passkey, { credentialId: theirs.passkey.id }), 'auth.unauthorized');
    problemOf(await client.signIn(mine.passkey, { credentialId: Buffer.from('nobody has it') }), 'auth.unauthorized');
    const { options } = await client.begin('authenticate');
    const { cookie } = await client.begin('authenticate');
    const response = client.authenticator.sign(mine.passkey, options);
    problemOf(await client.call('passkey/verify-authentication', undefined, { response }), 'request.invalid');
    problemOf(await client.call('passkey/verify-authentication', cookie, { response }), 'auth.unauthorized');
    const inSession = await client.begin('authenticate', mine.cookie);
    const proof = client.authenticator.sign(mine.passkey, inSession.options);
    const challenge = inSession.cookie.slice(mine.cookie.length + 2);
    problemOf(await client.call('passkey/verify-authentication', challenge, { response: proof }), 'request.invalid');
  });

  test('of an account that is gone opens nothing', async () => {
    const person = await withPasskey();
    await rows('users').deleteOne({ _id: person.userId as never });
    await rows('sessions').deleteMany({ userId: person.userId });
    problemOf(await client.signIn(person.passkey), 'auth.unauthorized');
    expect(await rows('sessions').countDocuments({ userId: person.userId })).toBe(0);
  });

  test('is limited for each address, and so are challenges and the size of what is sent', async () => {
    const env = { SERVICES: 'api', HOST: 'localhost', RATE_LIMITS: 'on', RATE_LIMIT_PER_SECOND: '0' };
    await using limited = await startTestApp({ env });
    const visitor = createPasskeyClient(limited);
    const { options, cookie } = await visitor.begin('authenticate');
    const { passkey } = visitor.authenticator.register({ challenge: 'AAAA', user: { id: 'AAAA' } });
    const response = visitor.authenticator.sign(passkey, options);
    const statuses: number[] = [];
    for (let count = 0; count < 11; count += 1)
      statuses.push((await visitor.call('passkey/verify-authentication', cookie, { response })).status);
    expect(statuses).toEqual([401, ...Array.from({ length: 9 }, () => 400), 429]);
    const asked: number[] = [];
    for (let count = 0; count < 30; count += 1)
      asked.push((await visitor.call('passkey/generate-authenticate-options', undefined)).status);
    expect(new Set(asked.slice(0, 29))).toEqual(new Set([200]));
    expect(asked[29]).toBe(429);
    const large = { response: { ...response, clientExtensionResults: { filler: 'x'.repeat(20_000) } } };
    problemOf(await visitor.call('passkey/verify-authentication', cookie, large), 'request.too_large');
  });

  test('and its registration and removal are in the audit log, and so are refused ones', async () => {
    const person = await withPasskey();
    await client.signIn(person.passkey);
    await client.call('passkey/update-passkey', person.cookie, { id: person.passkeyId, name: 'Desk' });
    await client.signIn(person.passkey, { isVerified: false });
    await client.call('passkey/delete-passkey', person.cookie, { id: person.passkeyId });
    const owner = await app.signIn();
    const told = async () => {
      const { body } = await app.call('GET', '/api/dashboard/audit?limit=100', { cookie: owner });
      return body.records.filter(({ actor }: { actor: string }) => actor === person.userId);
    };
    await expect
      .poll(async () => (await told()).map(({ action }: { action: string }) => action).toSorted())
      .toEqual([
        'account.passkey.add',
        'account.passkey.remove',
        'account.passkey.rename',
        'session.refused',
        'session.start',
        'session.start',
      ]);
    const records = await told();
    expect(records.every(({ outcome }: { outcome: string }) => outcome === 'done')).toBe(true);
    expect(records).toContainEqual(expect.objectContaining({ action: 'session.start', detail: { by: 'passkey' } }));
    expect(records).toContainEqual(
      expect.objectContaining({ action: 'account.passkey.remove', target: person.passkeyId }),
    );
  });
});

describe('A proof of presence with a passkey', () => {
  test('of another person, or in another session than its challenge, is refused', async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey()];
    const refused = await client.prove(theirs.passkey, mine.cookie);
    expect(pointersOf(problemOf(refused, 'request.invalid'))).toEqual(['/passkey']);
    for (const lie of lies) problemOf(await client.prove(mine.passkey, mine.cookie, lie[1]), 'request.invalid');
    const signingIn = await client.begin('authenticate');
    const response = client.authenticator.sign(mine.passkey, signingIn.options);
    const foreign = await client.call('reauthenticate', `${mine.cookie}; ${signingIn.cookie}`, { passkey: response });
    expect(problemOf(foreign, 'request.invalid').errors).toMatchObject([{ code: 'challenge' }]);
    mine.passkey.counter = 0;
    const { options, cookie } = await client.begin('authenticate', mine.cookie);
    const passkey = client.authenticator.sign(mine.passkey, options);
    expect((await client.call('reauthenticate', cookie, { passkey })).status).toBe(200);
    problemOf(await client.call('reauthenticate', cookie, { passkey }), 'request.invalid');
  });
});

describe('Passkeys of another person', () => {
  test('are neither renamed nor deleted: their ids are answered like unknown ones', async () => {
    const [mine, theirs] = [await withPasskey(), await withPasskey('Theirs')];
    for (const id of [theirs.passkeyId, 'pk_0000000000000000000000']) {
      problemOf(await client.call('passkey/update-passkey', mine.cookie, { id, name: 'Mine' }), 'passkey.not_found');
      problemOf(await client.call('passkey/delete-passkey', mine.cookie, { id }), 'passkey.not_found');
    }
    expect(await listOf(theirs.cookie)).toMatchObject([{ name: 'Theirs' }]);
    expect(await listOf(mine.cookie)).toHaveLength(1);
    for (const path of ['passkey/list-user-passkeys', 'passkey/generate-register-options'])
      problemOf(await client.call(path, undefined), 'auth.unauthorized');
  });
});
