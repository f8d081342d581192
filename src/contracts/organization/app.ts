import { z } from 'zod';
import { AnyId, Name, Timestamp } from '#src/contracts/fields.ts';
import { grantScopes } from '#src/contracts/scopes.ts';

const NamedProject = z.object({ id: z.string(), name: z.string() });
const Scopes = z.array(z.enum(grantScopes));

/** A program that somebody let act for them. Source: mcp.md "OAuth 2.1 authorization server". */
export const ConnectedApp = z
  .object({
    id: z.string(),
    clientId: z.string(),
    name: z.string().describe('What the program calls itself: nobody checked it'),
    redirectHost: z.string().nullable().describe('Where its access was sent: host and port, or the scheme of an app'),
    user: z.object({ id: z.string(), name: z.string(), email: z.string() }).describe('Whom it acts for'),
    isYours: z.boolean(),
    projects: z.array(NamedProject),
    scopes: Scopes,
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable(),
    expiresAt: Timestamp.nullable().describe('null: until it is disconnected'),
  })
  .meta({ id: 'ConnectedApp' });
export type ConnectedApp = z.output<typeof ConnectedApp>;
export const ConnectedAppList = z.object({ apps: z.array(ConnectedApp) });
export const ConnectedAppPath = z.object({ appId: AnyId });
export const RevokedApp = z.object({ id: z.string(), revoked: z.literal(true) });

/** A program of the organization's own that acts for itself, by client credentials. */
export const Client = z
  .object({
    clientId: z.string(),
    name: z.string(),
    projects: z.array(NamedProject),
    scopes: Scopes,
    createdBy: z.string().describe('User id: it goes on when they have left'),
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
  scopes: Scopes.min(1).max(grantScopes.length).describe('None that you lack yourself'),
  expiresInDays: z.int().min(1).max(3_650).optional(),
});
export const IssuedClient = z.object({
  client: Client,
  secret: z.string().describe('Shown this once: only its hash is stored'),
});
export const RemovedClient = z.object({ clientId: z.string(), removed: z.literal(true) });
