import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '#src/domain/ids.ts';
import type { IdempotencyScope, IdempotencyStore, StoredReply } from '#src/stores/idempotency.ts';

export interface IdempotencyStoreUnderTest {
  readonly store: IdempotencyStore;
  /** Another process on the same data. */
  readonly elsewhere: IdempotencyStore;
  close(): Promise<void>;
}

function freshScope(more: Partial<IdempotencyScope> = {}): IdempotencyScope {
  return { organizationId: newId('organization'), apiKeyId: newId('key'), endpoint: 'things', key: 'k', ...more };
}

const reply = (text: string): StoredReply => ({ status: 202, body: { text, nested: [1, { a: null }] } });

/** The promise of `IdempotencyStore`, for every adapter. `make` is called once for the suite. */
export function idempotencyStoreConformance(name: string, make: () => Promise<IdempotencyStoreUnderTest>): void {
  describe(`${name} as an IdempotencyStore`, () => {
    let subject: IdempotencyStoreUnderTest;
    const store = (): IdempotencyStore => subject.store;
    beforeAll(async () => {
      subject = await make();
    });
    afterAll(() => subject.close());

    remembering(store);
    forgetting(store);

    test("of twenty that finish at once in two processes one reply is everybody's", async () => {
      const scope = freshScope();
      const answers = await Promise.all(
        Array.from({ length: 20 }, async (_, at) => {
          const one = at % 2 === 0 ? store() : subject.elsewhere;
          await one.begin(scope, 'f');
          return one.finish(scope, 'f', reply(`${at}`));
        }),
      );
      expect(new Set(answers.map((answer) => JSON.stringify(answer.reply))).size).toBe(1);
      expect(answers.filter((answer) => answer.mine)).toHaveLength(1);
      expect((await store().begin(scope, 'f')).reply).toEqual(answers[0]?.reply);
    });
  });
}

function remembering(store: () => IdempotencyStore): void {
  test('a new key begins without a reply, and an identical one finds it', async () => {
    const scope = freshScope();
    const first = await store().begin(scope, 'f');
    expect(first).toMatchObject({ fingerprint: 'f', reply: null, organizationId: scope.organizationId });
    expect(await store().begin(scope, 'f')).toEqual(first);
  });

  test('another input under the key finds the fingerprint of the first', async () => {
    const scope = freshScope();
    await store().begin(scope, 'first');
    expect((await store().begin(scope, 'second')).fingerprint).toBe('first');
  });

  test('a finished reply comes back as it was, and stays when others finish later', async () => {
    const scope = freshScope();
    await store().begin(scope, 'f');
    expect(await store().finish(scope, 'f', reply('one'))).toEqual({ reply: reply('one'), mine: true });
    expect(await store().finish(scope, 'f', reply('two'))).toEqual({ reply: reply('one'), mine: false });
    expect((await store().begin(scope, 'f')).reply).toEqual(reply('one'));
  });

  test.each([
    ['organization', { organizationId: newId('organization') }],
    ['key of the service', { apiKeyId: newId('key') }],
    ['endpoint', { endpoint: 'others' }],
    ['key', { key: 'K' }],
  ])('another %s is another scope', async (_name, other) => {
    const scope = freshScope();
    await store().begin(scope, 'f');
    await store().finish(scope, 'f', reply('one'));
    expect((await store().begin({ ...scope, ...other }, 'g')).reply).toBeNull();
  });

  test('parts of a scope do not run into one another', async () => {
    const scope = freshScope({ endpoint: 'a', key: 'b\nc' });
    await store().begin(scope, 'f');
    await store().finish(scope, 'f', reply('one'));
    expect((await store().begin({ ...scope, endpoint: 'a\nb', key: 'c' }, 'f')).reply).toBeNull();
  });

  test.each(['k'.repeat(255), 'ключ 🗝', '$where', '__proto__', ' '])('the key %j is as good as any', async (key) => {
    const scope = freshScope({ key });
    await store().begin(scope, 'f');
    await store().finish(scope, 'f', reply('one'));
    expect((await store().begin(scope, 'f')).reply).toEqual(reply('one'));
  });
}

function forgetting(store: () => IdempotencyStore): void {
  test('an abandoned key may be used again with other input', async () => {
    const scope = freshScope();
    await store().begin(scope, 'f');
    await store().abandon(scope);
    expect(await store().begin(scope, 'g')).toMatchObject({ fingerprint: 'g', reply: null });
  });

  test('a finished key is not abandoned any more', async () => {
    const scope = freshScope();
    await store().begin(scope, 'f');
    await store().finish(scope, 'f', reply('one'));
    await store().abandon(scope);
    expect((await store().begin(scope, 'f')).reply).toEqual(reply('one'));
  });

  test('a request that another one abandoned meanwhile still stores its reply', async () => {
    const scope = freshScope();
    await store().begin(scope, 'f');
    await store().abandon(scope);
    expect(await store().finish(scope, 'f', reply('one'))).toEqual({ reply: reply('one'), mine: true });
    expect((await store().begin(scope, 'f')).reply).toEqual(reply('one'));
  });

  test('a reply never lands under other input that took the key over', async () => {
    const scope = freshScope();
    await store().begin(scope, 'first');
    await store().abandon(scope);
    await store().begin(scope, 'second');
    expect(await store().finish(scope, 'first', reply('first'))).toEqual({ reply: reply('first'), mine: true });
    expect(await store().begin(scope, 'second')).toMatchObject({ fingerprint: 'second', reply: null });
    expect(await store().finish(scope, 'second', reply('second'))).toEqual({ reply: reply('second'), mine: true });
  });

  test('abandoning a key that was never begun is not an error', async () => {
    await expect(store().abandon(freshScope())).resolves.toBeUndefined();
  });
}
