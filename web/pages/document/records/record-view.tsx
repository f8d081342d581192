import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { read } from '../../../api/read.ts';
import { Badge } from '../../../parts/badge.tsx';
import { Button } from '../../../parts/button.tsx';
import { useCan } from '../../../shell/session.ts';
import { document as words } from '../../../text/document.ts';
import { fieldName } from '../../../text/field-name.ts';
import { share } from '../../../text/format.ts';
import { records as recordWords } from '../../../text/records.ts';
import { CellEditor } from '../../records/cell-editor.tsx';
import { tones, type Cell, type RecordRow } from '../../records/cell-value.ts';
import { useCorrect } from '../../records/use-correct.ts';
import type { Reading } from '../reading.ts';
import { RecordCell } from './record-cell.tsx';
import { sortCells, type RowTable } from './sort-cells.ts';

/** Confidence of a value, and its author. */
function sayer(cell: Cell | undefined): string {
  if (cell === undefined || (cell.value === null && cell.confidence === 0)) return '';
  return `${share(cell.confidence)} ${words.by[cell.by]}`;
}

/** Cells of one list: a row of the table is a row of the document. */
function Rows({ table, cellOf }: { readonly table: RowTable; readonly cellOf: (path: string) => ReactNode }) {
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-panel">
      <table className="table named">
        <caption dir="auto" className="px-3 py-2 text-start font-medium">
          {fieldName(table.name)}
        </caption>
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column} scope="col" dir="auto">
                {fieldName(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row) => (
            <tr key={row}>
              {table.columns.map((column) => (
                <td key={column}>{cellOf(`${row}.${column}`)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** One record of the document: its cells with their proof on the page, corrections and confirmation. */
export function RecordView({ record, reading }: { readonly record: RecordRow; readonly reading: Reading }) {
  const { place, marks, document } = reading;
  const canCorrect = useCan('documents:write');
  const types = useQuery(read('records', 'types', { query: { projectId: document.projectId } }));
  const type = types.data?.recordTypes.find(({ name }) => name === record.recordType);
  const correct = useCorrect(record);
  const [edited, edit] = useState<string | null>(null);
  const { single, tables } = sortCells(record);
  const light = (path: string | null): void => {
    const cell = path === null ? undefined : record.cells[path];
    marks.set(
      cell === undefined || cell.box === null || cell.page === null
        ? []
        : [{ page: cell.page, box: cell.box, tone: 'ok' }],
    );
  };
  const show = (path: string): void => {
    const cell = record.cells[path];
    if (cell !== undefined && cell.box !== null && cell.page !== null) place.toBox(cell.page, cell.box);
  };
  const cellOf = (path: string) => (
    <RecordCell {...{ path, canCorrect }} cell={record.cells[path]} onLight={light} onShow={show} onEdit={edit} />
  );
  return (
    <section className="grid gap-3" aria-label={words.recordTitle(record.recordType)}>
      <header className="flex flex-wrap items-center gap-2">
        <h2 dir="auto">{type?.title ?? record.recordType}</h2>
        <Badge tone={tones[record.status]}>{recordWords.statuses[record.status]}</Badge>
        {canCorrect && record.status !== 'confirmed' && (
          <Button
            size="small"
            look="primary"
            className="ms-auto"
            busy={correct.isPending}
            onClick={() => correct.mutate({ confirm: true })}
          >
            {recordWords.confirm}
          </Button>
        )}
      </header>
      {record.problems.length > 0 && (
        <ul className="grid gap-1 rounded-lg bg-warn-soft px-3 py-2 text-warn">
          {record.problems.map(({ code, field, detail }) => (
            <li key={`${code} ${field}`}>
              <strong>{fieldName(field)}</strong>: {detail}
            </li>
          ))}
        </ul>
      )}
      {single.length > 0 && (
        <div className="relative overflow-x-auto rounded-lg border border-line bg-panel">
          <table className="table named">
            <thead>
              <tr>
                <th scope="col">{words.field}</th>
                <th scope="col">{words.value}</th>
                <th scope="col" className="number">
                  {words.sure}
                </th>
              </tr>
            </thead>
            <tbody>
              {single.map((path) => (
                <tr key={path}>
                  <th scope="row" dir="auto" title={path}>
                    {fieldName(path)}
                  </th>
                  <td>{cellOf(path)}</td>
                  <td className="number whitespace-nowrap text-muted">{sayer(record.cells[path])}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {tables.map((table) => (
        <Rows key={table.name} {...{ table, cellOf }} />
      ))}
      {edited !== null && <CellEditor {...{ record, type }} path={edited} confirm={false} onClose={() => edit(null)} />}
    </section>
  );
}
