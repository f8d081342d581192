import type { viewPages } from '#src/contracts/operators/views.ts';

/** Filters of a page of the dashboard under a name. */
export interface SavedViewRecord {
  readonly _id: string;
  readonly organizationId: string;
  /** Person that saved it. */
  readonly ownerId: string;
  readonly name: string;
  readonly page: (typeof viewPages)[number];
  /** Query of the address. */
  readonly query: string;
  readonly sharing: 'private' | 'project' | 'organization';
  /** Set if it is shared with a project. */
  readonly projectId: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** `_id` is the id of the person. Absent fields have their default. */
export interface PreferencesRecord {
  readonly _id: string;
  readonly theme?: 'system' | 'light' | 'dark';
  readonly density?: 'comfortable' | 'compact';
  readonly shortcuts?: boolean;
}
