import { existsSync } from 'node:fs';
import type { Finding } from '#scripts/cli/finding.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { withApp } from '#scripts/cli/with-app.ts';
import type { Config } from '#src/config/config.ts';
import type { WebhookRecord } from '#src/domain/webhooks/subscription.ts';
import type { ToolDeps } from '#tools/deps.ts';

interface Page<T> {
  readonly found: readonly T[];
  readonly next: string | null;
}

async function everyPage<T>(read: (after: string) => Promise<Page<T>>): Promise<T[]> {
  const all: T[] = [];
  for (let after: string | null = ''; after !== null;) {
    const page: Page<T> = await read(after);
    all.push(...page.found);
    after = page.next;
  }
  return all;
}

const some = (names: readonly string[]): string => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ', ...' : ''}`;

function ofSecrets(names: readonly string[]): Finding {
  if (names.length === 0) return { ok: true, what: 'all secrets are sealed with SECRETS_KEY' };
  const what = `${names.length} secrets are sealed with an earlier key: ${some(names)}`;
  return { ok: false, what, fix: 'npm run secrets -- rotate' };
}

function ofWebhooks(webhooks: readonly WebhookRecord[]): Finding {
  if (webhooks.length === 0) return { ok: true, what: 'all secrets of webhooks are made with SECRETS_KEY' };
  const named = some(webhooks.map(({ _id, projectId }) => `${_id} of ${projectId}`));
  return {
    ok: false,
    what: `${webhooks.length} webhooks have a secret that an earlier key made, such as that of the data folder, which signs beside SECRETS_KEY: ${named}`,
    fix: 'rotate their secrets, in the dashboard or with POST /api/service/webhooks/:webhookId/rotate, and give the receivers the new ones',
  };
}

const read = async ({ secrets, webhooks, webhookKeyId }: ToolDeps): Promise<Finding[]> => [
  ofSecrets(
    await everyPage(async (after) => {
      const { names: found, next } = await secrets.sealedElsewhere(after, 500);
      return { found, next };
    }),
  ),
  ofWebhooks(await everyPage((after) => webhooks.signedElsewhere(webhookKeyId, after, 500))),
];

/**
 * Secrets of projects and webhooks that a key other than SECRETS_KEY made. Looks only where somebody set one: opening the database can start
 * its engine.
 */
export async function keyFindings(terminal: Terminal, config: Config): Promise<Finding[]> {
  const { secretsKey, mongodbUri, dataDir } = config;
  if (secretsKey === null || (mongodbUri === null && !existsSync(dataDir))) return [];
  return withApp(terminal, ({ deps }) => read(deps));
}
