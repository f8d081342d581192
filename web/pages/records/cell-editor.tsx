import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { fieldErrors } from '../../api/problem.ts';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { records as words } from '../../text/records.ts';
import { shell } from '../../text/shell.ts';
import { parseValue, shapeOf, type Cell, type CellShape, type RecordRow, type RecordType } from './cell-value.ts';
import { useCorrect } from './use-correct.ts';

interface ValueFieldProps {
  readonly shape: CellShape;
  readonly cell: Cell | undefined;
  readonly error: string | undefined;
}

function ValueField({ shape, cell, error }: ValueFieldProps) {
  const value = cell?.value ?? '';
  const options =
    shape.type === 'boolean'
      ? [
          ['true', words.yes],
          ['false', words.no],
        ]
      : shape.values?.map((one) => [one, one]);
  const start = String(typeof value === 'object' ? value.amount : value);
  const shared = { name: 'value', label: words.value, defaultValue: start, error };
  if (options !== undefined)
    return (
      <SelectField {...shared}>
        <option value="">{words.empty}</option>
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
      type={shape.type === 'date' ? 'date' : 'text'}
      inputMode={['number', 'integer', 'money'].includes(shape.type) ? 'decimal' : undefined}
      dir="auto"
      autoComplete="off"
      placeholder={words.empty}
      hint={cell?.raw ? words.inDocument(cell.raw) : undefined}
    />
  );
}

interface EditPencilProps {
  readonly path: string;
  readonly onClick: () => void;
  /** Place beside the value for a mouse. */
  readonly className: string;
}

/**
 * Button that corrects a cell, whose row or cell is the `group`. For a mouse it lies over the edge of the cell, since a place of its own would
 * widen every column. For fingers it has one of 44 pixels.
 */
export function EditPencil({ path, onClick, className }: EditPencilProps) {
  return (
    <IconButton
      size="small"
      label={words.edit(path)}
      onClick={onClick}
      className={`absolute shrink-0 bg-hover opacity-0 group-hover:opacity-100 focus-visible:opacity-100 touch:static touch:-my-2 touch:-ms-1 touch:-me-3 touch:size-11 touch:bg-transparent touch:text-muted touch:opacity-100 ${className}`}
    >
      <Pencil size={12} aria-hidden />
    </IconButton>
  );
}

interface CellEditorProps {
  readonly record: RecordRow;
  readonly path: string;
  /** undefined: not known here, or not known yet. */
  readonly type?: RecordType | undefined;
  /** False: the correction leaves the record unconfirmed. */
  readonly confirm?: boolean;
  readonly onClose: () => void;
}

/** Corrects one cell. An empty value says that the document has none. */
export function CellEditor({ record, path, type, confirm = true, onClose }: CellEditorProps) {
  const [wrong, setWrong] = useState<string>();
  const correct = useCorrect(record);
  const cell = record.cells[path];
  const value = cell?.value;
  const shape = shapeOf(type, path, value);
  return (
    <Dialog title={words.edit(path)} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const parsed = parseValue(shape, new FormData(event.currentTarget));
          setWrong('error' in parsed ? parsed.error : undefined);
          if ('error' in parsed) return;
          correct.mutate({ set: { [path]: parsed.value }, confirm }, { onSuccess: onClose });
        }}
      >
        <ValueField {...{ shape, cell }} error={wrong ?? Object.values(fieldErrors(correct.error))[0]} />
        {shape.type === 'money' && (
          <TextField
            name="currency"
            label={words.currency}
            maxLength={10}
            defaultValue={typeof value === 'object' ? (value?.currency ?? '') : ''}
          />
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button type="submit" look="primary" busy={correct.isPending}>
            {shell.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
