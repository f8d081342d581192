import { viewLimits } from '#src/contracts/operators/views.ts';
import type { Collections } from '#src/stores/collections.ts';
import type { PreferencesRecord, SavedViewRecord } from '#src/domain/operators/saved-view.ts';

/** A person in an organization, and the projects that they read. */
export interface Viewer {
  readonly organizationId: string;
  readonly ownerId: string;
  readonly projectIds: readonly string[];
}

export function createViewStore({ savedViews, preferences }: Pick<Collections, 'savedViews' | 'preferences'>) {
  return {
    /** Views of a person and those shared with them, by name. Bounded by the limits of views. */
    async list({ organizationId, ownerId, projectIds }: Viewer): Promise<readonly SavedViewRecord[]> {
      const projects = new Set(projectIds);
      const [own, shared] = await Promise.all([
        savedViews.find({ organizationId, ownerId }).limit(viewLimits.ofPerson).toArray(),
        savedViews
          .find({ organizationId, sharing: { $in: ['project', 'organization'] } })
          .limit(viewLimits.ofOrganization)
          .toArray(),
      ]);
      const readable = shared.filter(
        ({ sharing, projectId }) => sharing === 'organization' || (projectId !== null && projects.has(projectId)),
      );
      const all = new Map([...own, ...readable].map((view) => [view._id, view]));
      return [...all.values()].toSorted((a, b) => a.name.localeCompare(b.name) || (a._id < b._id ? -1 : 1));
    },
    find: (organizationId: string, _id: string): Promise<SavedViewRecord | null> =>
      savedViews.findOne({ _id, organizationId }),
    countOf: (organizationId: string, ownerId: string): Promise<number> =>
      savedViews.countDocuments({ organizationId, ownerId }, { limit: viewLimits.ofPerson }),
    countShared: (organizationId: string): Promise<number> =>
      savedViews.countDocuments(
        { organizationId, sharing: { $in: ['project', 'organization'] } },
        { limit: viewLimits.ofOrganization },
      ),
    async insert(view: SavedViewRecord): Promise<void> {
      await savedViews.insertOne(view);
    },
    /** null when it was deleted meanwhile. */
    change: (
      organizationId: string,
      _id: string,
      change: Partial<Pick<SavedViewRecord, 'name' | 'query' | 'sharing' | 'projectId'>>,
    ): Promise<SavedViewRecord | null> =>
      savedViews.findOneAndUpdate(
        { _id, organizationId },
        { $set: { ...change, updatedAt: new Date() } },
        { returnDocument: 'after' },
      ),
    async delete(organizationId: string, _id: string): Promise<boolean> {
      return (await savedViews.deleteOne({ _id, organizationId })).deletedCount === 1;
    },
    preferencesOf: (userId: string): Promise<PreferencesRecord | null> => preferences.findOne({ _id: userId }),
    /** Sets the given fields. */
    async setPreferences(userId: string, change: Omit<PreferencesRecord, '_id'>): Promise<PreferencesRecord> {
      const filter = { _id: userId };
      if (Object.keys(change).length === 0) return (await preferences.findOne(filter)) ?? filter;
      return (
        (await preferences.findOneAndUpdate(filter, { $set: change }, { upsert: true, returnDocument: 'after' })) ??
        filter
      );
    },
  };
}

/** Saved views and preferences of people. Source: docs/decisions/0161. */
export type ViewStore = ReturnType<typeof createViewStore>;
