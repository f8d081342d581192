import { useState } from 'react';
import { fieldErrors } from '../../../api/problem.ts';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { SelectField, TextField } from '../../../parts/field.tsx';
import { document as words } from '../../../text/document.ts';
import { shell } from '../../../text/shell.ts';
import { parseValue, type Cell, type CellShape, type RecordOf } from './cell-value.ts';
import { useCorrect } from './use-correct.ts';

interface CellEditorProps {
  readonly record: RecordOf;
  readonly path: string;
  readonly cell: Cell;
  readonly shape: CellShape;
  readonly onClose: () => void;
}

const inputTypes: Partial<Record<CellShape['type'], string>> = { date: 'date' };

function ValueField({ shape, cell, error }: Pick<CellEditorProps, 'shape' | 'cell'> & { readonly error?: string }) {
  const { value } = cell;
  const options =
    shape.type === 'boolean'
      ? [
          ['true', words.yes],
          ['false', words.no],
        ]
      : shape.values?.map((one) => [one, one]);
  const start = typeof value === 'object' ? String(value?.amount ?? '') : String(value);
  const shared = { name: 'value', label: words.value, defaultValue: start, error };
  if (options !== undefined)
    return (
      <SelectField {...shared}>
        <option value="">{words.emptyCell}</option>
        {options.map(([one, label]) => (
          <option key={one} value={one}>
            {label}
          </option>
        ))}
      </SelectField>
    );
  return (
    <TextField
      {...shared}
      type={inputTypes[shape.type] ?? 'text'}
      inputMode={['number', 'integer', 'money'].includes(shape.type) ? 'decimal' : undefined}
      dir="auto"
      autoComplete="off"
      placeholder={words.emptyCell}
      hint={cell.raw === null ? undefined : words.cellHint(cell.raw)}
    />
  );
}

/** Corrects one cell. An empty value says that the document has none. */
export function CellEditor({ record, path, cell, shape, onClose }: CellEditorProps) {
  const [wrong, setWrong] = useState<string>();
  const correct = useCorrect(record);
  const refused = fieldErrors(correct.error);
  const error = wrong ?? Object.entries(refused).find(([name]) => name.includes(path))?.[1];
  return (
    <Dialog title={words.edit(path)} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const parsed = parseValue(shape, new FormData(event.currentTarget));
          setWrong('error' in parsed ? parsed.error : undefined);
          if ('error' in parsed) return;
          correct.mutate({ set: { [path]: parsed.value }, confirm: false }, { onSuccess: onClose });
        }}
      >
        <ValueField {...{ shape, cell }} {...(error !== undefined && { error })} />
        {shape.type === 'money' && (
          <TextField
            name="currency"
            label={words.currency}
            maxLength={3}
            defaultValue={typeof cell.value === 'object' ? (cell.value?.currency ?? '') : ''}
          />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button type="submit" look="primary" busy={correct.isPending}>
            {words.saveCell}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
