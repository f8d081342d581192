import { z } from 'zod';
import { Preferences, PreferencesChange } from '#src/contracts/operators/views.ts';
import type { PreferencesRecord } from '#src/domain/operators/saved-view.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { ownerOf } from '#tools/operators/views.ts';

const present = (row: Omit<PreferencesRecord, '_id'> | null): Preferences => ({
  theme: row?.theme ?? 'system',
  density: row?.density ?? 'comfortable',
  shortcuts: row?.shortcuts ?? true,
});

/** Preferences are those of the person, in every organization. */
export const getPreferences = defineTool({
  name: 'get_preferences',
  description: 'Preferences of the caller for the dashboard.',
  scope: null,
  effect: 'read',
  idempotent: true,
  input: z.strictObject({}),
  output: Preferences,
  async run({ deps, principal }: ToolContext<'views'>) {
    return present(await deps.views.preferencesOf(ownerOf(principal)));
  },
});

export const changePreferences = defineTool({
  name: 'change_preferences',
  description: 'Change preferences of the caller for the dashboard; fields that are left out stay.',
  scope: null,
  effect: 'write',
  audit: false,
  idempotent: true,
  input: PreferencesChange,
  output: Preferences,
  async run({ deps, principal }: ToolContext<'views'>, { theme, density, shortcuts }) {
    const change = {
      ...(theme !== undefined && { theme }),
      ...(density !== undefined && { density }),
      ...(shortcuts !== undefined && { shortcuts }),
    };
    return present(await deps.views.setPreferences(ownerOf(principal), change));
  },
});
