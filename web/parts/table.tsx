import type { ReactNode } from 'react';
import { shell } from '../text/shell.ts';
import { Button } from './button.tsx';

interface TableProps {
  readonly heads: readonly string[];
  /** Place of the first of the columns at the end that have numbers. */
  readonly numbersFrom?: number;
  readonly children: ReactNode;
}

/** A table with its heads in a frame; wide ones scroll inside it, where the first column that has a head stays. Empty heads are of columns with buttons. */
export function Table({ heads, numbersFrom = heads.length, children }: TableProps) {
  return (
    <div tabIndex={0} className="relative overflow-x-auto rounded-lg border border-line bg-panel">
      <table className={`table ${heads[0] === '' ? '' : 'named'}`}>
        <thead>
          <tr>
            {heads.map((head, at) =>
              head === '' ? (
                <td key="actions" />
              ) : (
                <th
                  key={head}
                  scope="col"
                  className={at >= numbersFrom ? 'number' : heads[at - 1] === '' ? 'stays' : ''}
                >
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The part of a list of pages that the button needs. */
interface Pages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

/** Below a list: reads its next page. Nothing at the end. */
export function LoadMore({ of: { hasNextPage, isFetchingNextPage, fetchNextPage } }: { readonly of: Pages }) {
  if (!hasNextPage) return null;
  return (
    <div className="mt-4 text-center">
      <Button busy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {shell.loadMore}
      </Button>
    </div>
  );
}
