import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { arrived } from '../../../live/arrived.ts';
import { Button } from '../../../parts/button.tsx';
import { useStore } from '../../../state/store.ts';
import { documents as words } from '../../../text/documents.ts';

/** Tells how many documents came since the list was loaded. An empty list shows them at once: nobody is reading it. */
export function Arrived({ listed }: { readonly listed: ReadonlySet<string> }) {
  const client = useQueryClient();
  const count = useStore(arrived).filter((id) => !listed.has(id)).length;
  // A document that was in the list once is no news, also when it leaves the list again.
  useEffect(
    () => arrived.set((all) => (all.some((id) => listed.has(id)) ? all.filter((id) => !listed.has(id)) : all)),
    [listed],
  );
  const show = useCallback(() => {
    arrived.set([]);
    void client.invalidateQueries({ queryKey: ['documents', 'list'] });
  }, [client]);
  const isEmpty = listed.size === 0;
  useEffect(() => {
    if (isEmpty && count > 0) show();
  }, [isEmpty, count, show]);
  if (count === 0) return null;
  return (
    <div className="mb-3 text-center">
      <Button look="primary" size="small" onClick={show}>
        {words.arrived(count)}
      </Button>
    </div>
  );
}
