import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { SelectField, TextField } from '../../parts/field.tsx';
import { fieldName } from '../../text/field-name.ts';
import { records as words } from '../../text/records.ts';
import { operators, type Condition, type Operator } from './search.ts';

interface ConditionsProps {
  readonly fields: readonly string[];
  readonly conditions: readonly Condition[];
  readonly onChange: (conditions: readonly Condition[]) => void;
}

function NewCondition({
  fields,
  onAdd,
  onClose,
}: {
  readonly fields: readonly string[];
  readonly onAdd: (one: Condition) => void;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={words.filter} onClose={onClose}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const [field, operator, value] = ['field', 'operator', 'value'].map((name) => form.get(name) as string);
          if (field === undefined || operator === undefined || value === undefined) return;
          onAdd({ field, operator: operator as Operator, value });
        }}
      >
        <SelectField name="field" label={words.field}>
          {fields.map((field) => (
            <option key={field} value={field}>
              {fieldName(field)}
            </option>
          ))}
        </SelectField>
        <SelectField name="operator" label={words.operator}>
          {operators.map((operator) => (
            <option key={operator} value={operator}>
              {words.operators[operator]}
            </option>
          ))}
        </SelectField>
        <TextField name="value" label={words.value} />
        <Button type="submit" look="primary" className="justify-self-end">
          {words.apply}
        </Button>
      </form>
    </Dialog>
  );
}

/** Conditions as chips that go when they are pressed, and a way to add one. */
export function Conditions({ fields, conditions, onChange }: ConditionsProps) {
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      {conditions.map((one) => {
        const said = `${fieldName(one.field)} ${words.operators[one.operator]} ${one.value}`;
        return (
          <Button
            key={said}
            size="small"
            aria-label={words.removeCondition(said)}
            onClick={() => onChange(conditions.filter((other) => other !== one))}
          >
            {said}
            <X size={12} aria-hidden />
          </Button>
        );
      })}
      <Button size="small" icon={<Plus size={13} aria-hidden />} onClick={() => setAdding(true)}>
        {words.filter}
      </Button>
      {isAdding && (
        <NewCondition
          fields={fields}
          onClose={() => setAdding(false)}
          onAdd={(one) => {
            onChange([...conditions, one]);
            setAdding(false);
          }}
        />
      )}
    </>
  );
}
