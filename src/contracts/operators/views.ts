import { z } from 'zod';
import { AnyId, Name, Timestamp } from '#src/contracts/fields.ts';

export const viewLimits = { ofPerson: 100, ofOrganization: 500, address: 2_000 } as const;

export const viewPages = ['documents', 'records', 'runs', 'reviews', 'workflows', 'experiments', 'trash'] as const;
const Page = z.enum(viewPages);
const Sharing = z
  .enum(['private', 'project', 'organization'])
  .describe('private: only you; project: everybody who can read projectId; organization: every member');
const Address = z
  .string()
  .max(viewLimits.address)
  .regex(/^[\x21-\x7E]*$/, 'percent-encode it, as in an address')
  .refine((query) => !/^[?#]/.test(query) && !query.includes('#'), 'leave out ? at the start and #')
  .describe('Query of the address without "?": status=failed&sort=-createdAt');

/** Filters of a page under a name. Source: `dashboard.views`, docs/decisions/0161. */
export const SavedView = z
  .object({
    viewId: z.string(),
    name: z.string(),
    page: Page,
    query: z.string(),
    sharing: Sharing,
    projectId: z.string().nullable().describe('Project that a view with sharing=project belongs to'),
    ownerId: z.string(),
    mine: z.boolean().describe('Only its owner, admins and owners of the organization change it'),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'SavedView' });

export const ViewsQuery = z.strictObject({ page: Page.optional() });
export const ViewList = z.object({ views: z.array(SavedView).describe('Yours and shared ones, by name') });
export const ViewPath = z.object({ viewId: AnyId });
export const NewView = z.strictObject({
  name: Name,
  page: Page,
  query: Address,
  sharing: Sharing.default('private'),
  projectId: AnyId.optional().describe('Required with sharing=project'),
});
export const ViewChange = z
  .strictObject({
    name: Name.optional(),
    query: Address.optional(),
    sharing: Sharing.optional(),
    projectId: AnyId.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'send at least one field');
export const DeletedView = z.object({ viewId: z.string(), deleted: z.literal(true) });

/** Choices of one person for the dashboard, in every organization. */
export const Preferences = z
  .object({
    theme: z.enum(['system', 'light', 'dark']),
    density: z.enum(['comfortable', 'compact']),
    shortcuts: z.boolean().describe('false: single keys do nothing'),
  })
  .meta({ id: 'Preferences' });
export const PreferencesChange = z.strictObject(Preferences.shape).partial();
export type Preferences = z.output<typeof Preferences>;
