import { pageAt } from '../../router/navigate.ts';
import { Button } from '../../parts/button.tsx';
import { workflows as words } from '../../text/workflows.ts';

const route = pageAt('/workflows/$id');

export type Ref = 'draft' | 'published' | number;

export const nameOfVersion = (ref: Ref): string =>
  ref === 'draft' ? words.draft : ref === 'published' ? words.publishedVersion : `${words.version} ${ref}`;

/** Says which two versions the picture shows, and ends it. */
export function CompareBar({ from, to }: { readonly from: Ref; readonly to: Ref }) {
  const { navigate } = route;
  return (
    <div role="status" className="flex flex-wrap items-center gap-2 rounded-lg bg-accent-soft px-3 py-1.5">
      <span className="min-w-0 flex-1">{words.comparing(nameOfVersion(from), nameOfVersion(to))}</span>
      <span className="flex gap-1 text-xs">
        {(['added', 'removed', 'changed'] as const).map((change) => (
          <span key={change} className={{ added: 'text-ok', removed: 'text-bad', changed: 'text-warn' }[change]}>
            <b>{words.changes[change].slice(0, 1)}</b> {words.changes[change]}
          </span>
        ))}
      </span>
      <Button size="small" onClick={() => navigate({ search: (old) => ({ ...old, compare: undefined }) })}>
        {words.compareEnd}
      </Button>
    </div>
  );
}
