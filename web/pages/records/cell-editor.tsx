import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { fieldErrors } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { Failure } from '../../parts/states.tsx';
import { toast } from '../../parts/toast.tsx';
import { records as words } from '../../text/records.ts';
import { shell } from '../../text/shell.ts';
import type { Cell, RecordRow } from './cell-value.tsx';

/** The value that a form gives, in the type that the cell had. */
function typedValue(old: Cell['value'] | undefined, form: FormData): Cell['value'] {
  const text = form.get('value');
  const given = typeof text === 'string' ? text.trim() : '';
  if (given === '') return null;
  if (typeof old === 'number') return Number(given);
  if (typeof old === 'boolean') return given === 'true';
  if (typeof old !== 'object' || old === null) return given;
  const currency = form.get('currency');
  return {
    amount: Number(given),
    currency: typeof currency === 'string' && currency !== '' ? currency.toUpperCase() : null,
  };
}

interface CellEditorProps {
  readonly record: RecordRow;
  readonly path: string;
  readonly onClose: () => void;
}

/** Corrects one cell. The record keeps the earlier value, and refuses when somebody was faster. */
export function CellEditor({ record, path, onClose }: CellEditorProps) {
  const client = useQueryClient();
  const old = record.cells[path]?.value;
  const save = useMutation({
    mutationFn: (value: Cell['value']) =>
      call('records', 'correct', {
        params: { recordId: record.recordId },
        body: { revision: record.revision, set: { [path]: value } },
      }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['records'] });
      toast(words.corrected);
      onClose();
    },
  });
  const isMoney = typeof old === 'object' && old !== null;
  const [error] = Object.values(fieldErrors(save.error));
  return (
    <Dialog title={words.edit(path)} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(typedValue(old, new FormData(event.currentTarget)));
        }}
      >
        <TextField
          name="value"
          label={isMoney ? words.amount : words.newValue}
          inputMode={isMoney || typeof old === 'number' ? 'decimal' : 'text'}
          defaultValue={isMoney ? String(old.amount) : String(old ?? '')}
          error={error}
        />
        {isMoney && (
          <TextField name="currency" label={words.currency} defaultValue={old.currency ?? ''} maxLength={10} />
        )}
        {save.error !== null && error === undefined && <Failure error={save.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>{shell.cancel}</Button>
          <Button type="submit" look="primary" busy={save.isPending}>
            {shell.save}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
