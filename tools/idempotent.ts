import { canonicalJson, sha256Hex } from '#src/domain/canonical-json.ts';
import { callerIdOf } from '#src/domain/access/principal.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';
import type { IdempotencyScope, StoredReply } from '#src/stores/idempotency.ts';

/**
 * Runs `work` under a client's idempotency key. An identical retry returns the first reply and sets `outcome.replayed`; a failed request
 * stores nothing. `work` must be safe to run twice, so it derives its ids from the key and the input's fingerprint. `begun` is the time of
 * the first request with this key. Error: `idempotency.key_reused` for the same key with other input.
 * Source: `service.idempotency.replay`, docs/decisions/0012.
 */
export async function idempotent(
  ctx: ToolContext<'idempotency'>,
  request: { endpoint: string; key: string; body: unknown },
  work: (fingerprint: string, begun: Date) => Promise<StoredReply>,
): Promise<StoredReply> {
  const { idempotency } = ctx.deps;
  const { endpoint, key } = request;
  const { organizationId } = ctx.principal;
  const scope: IdempotencyScope = { organizationId, apiKeyId: callerIdOf(ctx.principal), endpoint, key };
  const fingerprint = sha256Hex(canonicalJson(request.body));
  const record = await idempotency.begin(scope, fingerprint);
  if (record.fingerprint !== fingerprint)
    throw new AppError('idempotency.key_reused', 'This idempotencyKey was used with other input. Use a new key.', {
      errors: [{ pointer: '/idempotencyKey', code: 'key_reused', message: 'used before with other input' }],
    });
  if (record.reply !== null) {
    ctx.outcome.replayed = true;
    return record.reply;
  }
  try {
    const { reply, mine } = await idempotency.finish(scope, fingerprint, await work(fingerprint, record.createdAt));
    if (!mine) ctx.outcome.replayed = true;
    return reply;
  } catch (error) {
    await idempotency.abandon(scope);
    throw error;
  }
}
