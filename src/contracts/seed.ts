import { z } from 'zod';

/** Credentials that `npm run seed` creates, as stored in the data folder. */
export const Seed = z.object({
  organizationId: z.string(),
  projectId: z.string(),
  workflowId: z.string(),
  workflowKey: z.string(),
  serviceKey: z.string(),
  /** Service key with every scope, to connect an MCP agent. */
  agentKey: z.string(),
  /** Owner of the organization, to sign in with. */
  operatorEmail: z.string(),
  operatorPassword: z.string(),
});
/** Fields that older versions did not write. */
const later = { agentKey: true, operatorEmail: true, operatorPassword: true } as const;
export const OlderSeed = Seed.partial(later);
export type OlderSeed = z.output<typeof OlderSeed>;
export type Seed = z.output<typeof Seed>;
