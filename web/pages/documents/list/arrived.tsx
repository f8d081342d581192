import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { arrived } from '../../../live/arrived.ts';
import { Button } from '../../../parts/button.tsx';
import { useStore } from '../../../state/store.ts';
import { uploads } from '../../../state/upload-list.ts';
import { documents as words } from '../../../text/documents.ts';

/** Far enough from the top that a person reads what new rows would move. */
const readingFrom = 200;

/**
 * Tells how many documents came since the list was loaded. An empty list shows them at once, as nobody is reading it, and so does one that
 * stands at its top while files of this tab arrive.
 */
export function Arrived({ listed }: { readonly listed: ReadonlySet<string> }) {
  const client = useQueryClient();
  const sent = useStore(uploads);
  const came = useStore(arrived).filter((id) => !listed.has(id));
  const count = came.length;
  const hasOwn = came.some((id) => sent.some(({ documentId }) => documentId === id));
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
    if ((isEmpty && count > 0) || (hasOwn && window.scrollY < readingFrom)) show();
  }, [isEmpty, count, hasOwn, show]);
  if (count === 0) return null;
  return (
    <div className="mb-3 text-center">
      <Button look="primary" size="small" onClick={show}>
        {words.arrived(count)}
      </Button>
    </div>
  );
}
