import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { addCodeWorkflow } from '#app/agents/publish-code-workflows.ts';
import type { AuthService } from '#app/compose/people.ts';
import { readSeed, seedFile } from '#app/compose/access/seed-file.ts';
import type { Config } from '#src/config/config.ts';
import { Seed, type OlderSeed } from '#src/contracts/seed.ts';
import { newId } from '#src/domain/ids.ts';
import { keyScopes } from '#src/contracts/scopes.ts';
import { issueKey } from '#tools/keys/issue-key.ts';
import type { ToolDeps } from '#tools/deps.ts';

export type { Seed };

/** Parts that seeding needs. */
export interface SeedParts {
  readonly deps: ToolDeps;
  readonly sessions: AuthService;
}

async function makeAgentKey(
  { deps }: SeedParts,
  place: { organizationId: string; projectId: string },
): Promise<string> {
  const { organizationId, projectId } = place;
  const wanted = {
    organizationId,
    projectId,
    createdBy: 'cli',
    kind: 'service',
    name: 'Seeded agent',
    scopes: keyScopes,
  } as const;
  return (await issueKey(deps, wanted)).secret;
}

/** User id of the organization's owner. */
export async function makeOperator(
  { deps, sessions }: SeedParts,
  { organizationId }: { organizationId: string },
): Promise<Pick<Seed, 'operatorEmail' | 'operatorPassword'>> {
  const operatorEmail = `operator-${randomBytes(4).toString('hex')}@inkgraph.local`;
  const operatorPassword = randomBytes(16).toString('base64url');
  const userId = await sessions.signUp({ email: operatorEmail, password: operatorPassword, name: 'Operator' });
  await deps.members.add({ organizationId, userId, role: 'owner' });
  return { operatorEmail, operatorPassword };
}

async function makeSeed(app: SeedParts): Promise<Seed> {
  const { deps } = app;
  const createdAt = new Date();
  const organizationId = newId('organization', createdAt);
  const projectId = newId('project', createdAt);
  await deps.organizations.insertOrganization({ _id: organizationId, name: 'Demo organization', createdAt });
  await deps.organizations.insertProject({ _id: projectId, organizationId, name: 'Demo project', createdAt });
  const workflow = await addCodeWorkflow(deps, documentIntake, { organizationId, projectId });
  await deps.seedProject({ organizationId, projectId });
  const place = { organizationId, projectId, createdBy: 'cli' };
  const workflowKey = await issueKey(deps, {
    ...place,
    kind: 'workflow',
    name: 'Seeded uploader',
    workflowId: workflow._id,
  });
  const serviceKey = await issueKey(deps, { ...place, kind: 'service', name: 'Seeded client' });
  return {
    organizationId,
    projectId,
    workflowId: workflow._id,
    workflowKey: workflowKey.secret,
    serviceKey: serviceKey.secret,
    agentKey: await makeAgentKey(app, place),
    ...(await makeOperator(app, place)),
  };
}

/** Adds to the seed of an older version the parts that it lacks. */
async function complete(app: SeedParts, known: OlderSeed): Promise<Seed> {
  const { operatorEmail, operatorPassword } = known;
  const operator =
    operatorEmail === undefined || operatorPassword === undefined
      ? await makeOperator(app, known)
      : { operatorEmail, operatorPassword };
  return { ...known, ...operator, agentKey: known.agentKey ?? (await makeAgentKey(app, known)) };
}

/**
 * Creates once: organization, project, default workflow, a workflow key bound to it, a service key and an agent key. Keeps them with their
 * secrets in `DATA_DIR/seed.json` (mode 0600) and returns the same on every later call. Replaces a file whose organization is not in the
 * database.
 */
export async function seed(app: SeedParts, config: Config): Promise<Seed> {
  const path = seedFile(config.dataDir);
  const known = await readSeed(config.dataDir);
  const isKnown = known !== null && (await app.deps.organizations.findOrganization(known.organizationId)) !== null;
  const whole = isKnown ? Seed.safeParse(known).data : undefined;
  if (whole !== undefined) return whole;
  const made = isKnown ? await complete(app, known) : await makeSeed(app);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(made, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
  return made;
}
