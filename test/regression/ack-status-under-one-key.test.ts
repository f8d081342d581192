import { expect, test } from 'vitest';
import { Authenticator } from '#src/auth/authenticate.ts';
import { callTool } from '#tools/call.ts';
import type { ToolContext } from '#tools/define.ts';
import { tools } from '#tools/index.ts';
import { startTestApp, tinyPng } from '#test/support/test-app.ts';

/**
 * Two acks under one idempotency key may race. The one that did not make the document may end first: its reply is everybody's, and
 * is that of a first ack all the same.
 */
test('both of two acks at once under one key say that the document was made', async () => {
  await using app = await startTestApp({ env: { SERVICES: 'api' } });
  const { deps } = app.app;
  const objectKey = await app.put(tinyPng, 'image/png', app.seed.serviceKey);
  const principal = await new Authenticator(deps.apiKeys, deps.logger).byKey(app.seed.serviceKey, 'service-key');
  const ctx = (accept: typeof deps.accept = deps.accept): ToolContext => ({
    principal,
    requestId: 'req_test',
    surface: 'rest',
    signal: new AbortController().signal,
    deps: { ...deps, accept },
    outcome: {},
  });
  const made = Promise.withResolvers<void>();
  const otherIsDone = Promise.withResolvers<void>();
  const slow = ctx(async (document) => {
    const outcome = await deps.accept(document);
    made.resolve();
    await otherIsDone.promise;
    return outcome;
  });
  const quick = ctx();
  const input = { objectKey, idempotencyKey: 'once' };
  const first = callTool(tools.acknowledgeUpload, slow, input);
  await made.promise;
  const second = await callTool(tools.acknowledgeUpload, quick, input);
  otherIsDone.resolve();
  expect((await first).document.id).toBe(second.document.id);
  expect([slow.outcome.created, quick.outcome.created]).toEqual([true, true]);
  const later = ctx();
  await callTool(tools.acknowledgeUpload, later, { objectKey, idempotencyKey: 'again' });
  expect(later.outcome.created).toBe(false);
});
