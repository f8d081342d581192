import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { UsageError } from '#scripts/cli/with-app.ts';
import { loadObjectSecret } from '#src/adapters/objects/disk/secret.ts';
import { deriveSecret } from '#app/compose/data.ts';
import { secretKeysOf } from '#app/compose/stores.ts';
import { AppError } from '#src/domain/app-error.ts';
import { collectionsOf } from '#src/stores/collections.ts';
import { createSecretStore } from '#src/stores/secrets.ts';
import type { Ends } from '#scripts/migrate/ends.ts';

const fileOf = (dataDir: string): string => join(dataDir, 'objects.secret');

/**
 * Secret of the installation, which both ends must have: it seals second factors and secrets of projects, and signs sessions, webhooks and
 * addresses. Throws UsageError where they differ, before anything is changed.
 */
export async function commonSecret({ source, target }: Ends): Promise<Buffer> {
  const theirs = source.installationSecret ?? (await loadObjectSecret(source.dataDir));
  const has = target.installationSecret !== null || existsSync(fileOf(target.dataDir));
  const ours = has ? (target.installationSecret ?? (await loadObjectSecret(target.dataDir))) : null;
  if (ours?.equals(theirs) === true) return theirs;
  const what = ours === null ? 'The target has no secret of the installation' : 'The target has another secret';
  const carry =
    source.installationSecret === null
      ? `Copy ${fileOf(source.dataDir)} to ${target.dataDir}, or set the target's INSTALLATION_SECRET to its bytes in base64`
      : "Set the target's INSTALLATION_SECRET to that of the source";
  throw new UsageError(
    `${what}: second factors, secrets of projects, sessions and webhooks would not open there. ${carry}.`,
  );
}

/** Throws UsageError when a stored secret does not open with the keys of the target. */
export async function refuseSealedSecrets(db: Db, { target }: Ends, secret: Buffer): Promise<void> {
  const collections = collectionsOf(db);
  const store = createSecretStore(collections, secretKeysOf(target, deriveSecret(secret, 'secrets')));
  const unopened: string[] = [];
  for await (const { _id, organizationId, projectId, name } of collections.secrets.find({}).sort({ _id: 1 })) {
    try {
      await store.reveal(organizationId, projectId, [name]);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      unopened.push(_id);
    }
  }
  if (unopened.length === 0) return;
  throw new UsageError(
    `${unopened.length} secrets, such as ${unopened[0]}, do not open with the target's keys. Give it the SECRETS_KEY and SECRETS_KEY_PREVIOUS of the source.`,
  );
}

/** Line about webhooks, whose receivers verify with a secret that follows from these keys; null: it stays. */
export function webhookWarning({ source, target }: Ends): string | null {
  const isSame =
    source.secretsKey === null ? target.secretsKey === null : target.secretsKey?.equals(source.secretsKey) === true;
  if (isSame) return null;
  return 'warning: the target has another SECRETS_KEY. Give the receivers of webhooks the new webhook-secret (npm run secrets -- webhook-secret)';
}
