import { useQuery } from '@tanstack/react-query';
import { pageAt } from '../../router/navigate.ts';
import { read } from '../../api/read.ts';
import { CheckField, SelectField, TextField } from '../../parts/field.tsx';
import { runs as words } from '../../text/runs.ts';

const route = pageAt('/runs');

/** Workflow, days and drafts: what the list is narrowed to. */
export function RunFilters() {
  const { workflow, after, before, drafts } = route.useSearch();
  const { navigate } = route;
  const workflows = useQuery(read('workflows', 'list', { query: { limit: 100 } }));
  const set = (change: Readonly<Record<string, string | undefined>>): void =>
    navigate({ search: (old) => ({ ...old, ...change }), replace: true });
  return (
    <div role="group" aria-label={words.filters} className="mb-3 flex flex-wrap items-end gap-3">
      <SelectField
        label={words.workflow}
        value={workflow ?? ''}
        onChange={({ currentTarget: { value } }) => set({ workflow: value || undefined })}
      >
        <option value="">{words.anyWorkflow}</option>
        {workflows.data?.workflows.map((one) => (
          <option key={one.workflowId} value={one.workflowId}>
            {one.name}
          </option>
        ))}
      </SelectField>
      <TextField
        label={words.after}
        type="date"
        value={after ?? ''}
        max={before}
        onChange={({ currentTarget: { value } }) => set({ after: value || undefined })}
      />
      <TextField
        label={words.before}
        type="date"
        value={before ?? ''}
        min={after}
        onChange={({ currentTarget: { value } }) => set({ before: value || undefined })}
      />
      <CheckField
        label={words.drafts}
        checked={drafts === 'yes'}
        onChange={({ currentTarget }) => set({ drafts: currentTarget.checked ? 'yes' : undefined })}
      />
    </div>
  );
}
