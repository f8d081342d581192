import { z } from 'zod';
import { AnyId, Name, Timestamp } from '#src/contracts/fields.ts';
import { grantScopes } from '#src/contracts/scopes.ts';

const NamedProject = z.object({ id: z.string(), name: z.string() });
const Scopes = z.array(z.enum(grantScopes));

/** A program that a user allowed to act for them. Source: docs/decisions/0044. */
export const ConnectedApp = z
  .object({
    id: z.string(),
    clientId: z.string(),
    name: z.string().describe('Name that the program gave itself, not verified'),
    redirectHost: z
      .string()
      .nullable()
      .describe('Host and port of its redirect URI, or the URI scheme of a native app'),
    user: z.object({ id: z.string(), name: z.string(), email: z.string() }).describe('User it acts for'),
    isYours: z.boolean(),
    projects: z.array(NamedProject),
    scopes: Scopes,
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable(),
    expiresAt: Timestamp.nullable().describe('null: valid until disconnected'),
  })
  .meta({ id: 'ConnectedApp' });
export type ConnectedApp = z.output<typeof ConnectedApp>;
export const ConnectedAppList = z.object({ apps: z.array(ConnectedApp) });
export const ConnectedAppPath = z.object({ appId: AnyId });
export const ChangedApp = z.strictObject({
  scopes: Scopes.min(1).max(grantScopes.length).describe('All that it may do from now on, chosen from your own scopes'),
});
export const ChangeConnectedApp = z.strictObject({ ...ConnectedAppPath.shape, ...ChangedApp.shape });
export const RevokedApp = z.object({ id: z.string(), revoked: z.literal(true) });

/** A program of the organization that signs in with client credentials and acts for itself. */
export const Client = z
  .object({
    clientId: z.string(),
    name: z.string(),
    projects: z.array(NamedProject),
    scopes: Scopes,
    createdBy: z.string().describe('User id; the client ends when the user is removed, unless keepClients keeps it'),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable(),
    expiresAt: Timestamp.nullable(),
  })
  .meta({ id: 'Client' });
export type Client = z.output<typeof Client>;
export const ClientList = z.object({ clients: z.array(Client) });
export const ClientPath = z.object({ clientId: AnyId });
export const NewClient = z.strictObject({
  name: Name,
  projectIds: z.array(AnyId).min(1).max(1_000),
  scopes: Scopes.min(1).max(grantScopes.length).describe('Chosen from your own scopes'),
  expiresInDays: z.int().min(1).max(3_650).optional(),
});
export const IssuedClient = z.object({
  client: Client,
  secret: z.string().describe('Shown once: only its hash is stored'),
});
export const RemovedClient = z.object({ clientId: z.string(), removed: z.literal(true) });
