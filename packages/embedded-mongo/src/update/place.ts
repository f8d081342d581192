import { type Document, fieldOf, isObject, setField } from '../bson/value.ts';
import { CommandError } from '../errors.ts';
import { isArrayIndex, type Parts } from '../query/path.ts';

const MAX_PADDING = 1_500_000;

export function valueAt(doc: unknown, parts: Parts): unknown {
  let value = doc;
  for (const part of parts) {
    if (Array.isArray(value)) value = isArrayIndex(part) ? value[Number(part)] : undefined;
    else if (isObject(value)) value = fieldOf(value, part);
    else return undefined;
  }
  return value;
}

/** Writes a value, making the documents on the way; an array on the way takes positions only. */
export function setAt(doc: Document, parts: Parts, value: unknown): void {
  let holder: unknown = doc;
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    if (Array.isArray(holder)) {
      if (!isArrayIndex(part)) throw notViable(part, parts[at - 1]);
      const index = Number(part);
      if (index > holder.length + MAX_PADDING)
        throw new CommandError(2, `can't backfill more than ${MAX_PADDING} elements`);
      while (holder.length < index) holder.push(null);
      if (isLast) holder[index] = value;
      else holder = holder[index] ??= index < holder.length ? null : {};
    } else if (isObject(holder)) {
      if (isLast) setField(holder, part, value);
      else {
        if (fieldOf(holder, part) === undefined) setField(holder, part, {});
        holder = holder[part];
      }
    } else throw notViable(part, parts[at - 1]);
  }
}

/** Removes a field; an array element becomes null. */
export function unsetAt(doc: Document, parts: Parts): void {
  const holder = valueAt(doc, parts.slice(0, -1));
  const last = parts.at(-1) as string;
  if (Array.isArray(holder)) {
    if (isArrayIndex(last) && Number(last) < holder.length) holder[Number(last)] = null;
  } else if (isObject(holder) && Object.hasOwn(holder, last)) delete holder[last];
}

function notViable(part: string, parent: string | undefined): CommandError {
  return new CommandError(28, `Cannot create field '${part}' in element {${parent ?? ''}}`);
}
