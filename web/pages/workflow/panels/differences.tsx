import { useQuery } from '@tanstack/react-query';
import { read } from '../../../api/read.ts';
import { Loaded } from '../../../parts/states.tsx';
import { workflows as words } from '../../../text/workflows.ts';
import type { Ref } from '../compare-bar.tsx';
import type { Operation } from '../edit/editor.ts';
import { OperationList } from '../edit/operation-list.tsx';

/** All differences between two versions, as the operations that lead from one to the other. */
export function Differences({ id, from, to }: { readonly id: string; readonly from: Ref; readonly to: Ref }) {
  const diff = useQuery(read('workflows', 'diff', { params: { workflowId: id }, query: { from, to } }));
  return (
    <Loaded query={diff}>
      {({ operations }) =>
        operations.length === 0 ? (
          <p className="text-muted">{words.compareSame}</p>
        ) : (
          <OperationList operations={operations as Operation[]} />
        )
      }
    </Loaded>
  );
}
