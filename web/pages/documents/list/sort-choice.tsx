import { SelectField } from '../../../parts/field.tsx';
import { filters as words } from '../../../text/list/filters.ts';
import { orders, type Order } from './filter-names.ts';

interface SortChoiceProps {
  readonly order: Order;
  readonly onChange: (name: 'sort', value: string | undefined) => void;
}

/** The order of the list. */
export function SortChoice({ order, onChange }: SortChoiceProps) {
  return (
    <SelectField
      isQuiet
      label={words.order}
      value={order}
      onChange={({ currentTarget: { value } }) => onChange('sort', value === 'created' ? undefined : value)}
    >
      {orders.map((one) => (
        <option key={one} value={one}>
          {words.orders[one]}
        </option>
      ))}
    </SelectField>
  );
}
