import type { ReactNode } from 'react';

/** A table with its heads in a frame; wide ones scroll inside it. Empty heads are of columns with buttons. */
export function Table({ heads, children }: { readonly heads: readonly string[]; readonly children: ReactNode }) {
  return (
    <div tabIndex={0} className="relative overflow-x-auto rounded-lg border border-line bg-panel">
      <table className="table">
        <thead>
          <tr>
            {heads.map((head) =>
              head === '' ? (
                <td key="actions" />
              ) : (
                <th key={head} scope="col">
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
