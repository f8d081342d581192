import { type Document, fieldOf, isObject } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { isArrayIndex } from '../query/path.ts';

const MAX_PADDING = 1_500_000;

export function valueAt(doc: unknown, parts: readonly string[]): unknown {
  let value = doc;
  for (const part of parts) {
    if (Array.isArray(value)) value = isArrayIndex(part) ? value[Number(part)] : undefined;
    else if (isObject(value)) value = fieldOf(value, part);
    else return undefined;
  }
  return value;
}

/** Writes a value, making the documents on the way; an array on the way takes positions only. */
export function setAt(doc: Document, parts: readonly string[], value: unknown): void {
  let holder: unknown = doc;
  for (const [at, part] of parts.entries()) {
    const isLast = at === parts.length - 1;
    if (part === '__proto__') throw new MongoFault(2, "The field name '__proto__' is not allowed");
    if (Array.isArray(holder)) {
      if (!isArrayIndex(part)) throw notViable(part, parts[at - 1]);
      const index = Number(part);
      if (index > holder.length + MAX_PADDING)
        throw new MongoFault(2, `can't backfill more than ${MAX_PADDING} elements`);
      while (holder.length < index) holder.push(null);
      if (isLast) holder[index] = value;
      else {
        if (index >= holder.length) holder[index] = {};
        holder = holder[index];
      }
    } else if (isObject(holder)) {
      if (isLast) holder[part] = value;
      else {
        if (fieldOf(holder, part) === undefined) holder[part] = {};
        holder = holder[part];
      }
    } else throw notViable(part, parts[at - 1]);
  }
}

/** Removes a field; an array element becomes null. Whether anything was there. */
export function unsetAt(doc: Document, parts: readonly string[]): boolean {
  const holder = valueAt(doc, parts.slice(0, -1));
  const last = parts.at(-1) as string;
  if (Array.isArray(holder)) {
    if (!isArrayIndex(last) || Number(last) >= holder.length) return false;
    holder[Number(last)] = null;
    return true;
  }
  if (!isObject(holder) || fieldOf(holder, last) === undefined) return false;
  return delete holder[last];
}

function notViable(part: string, parent: string | undefined): MongoFault {
  return new MongoFault(28, `Cannot create field '${part}' in element {${parent ?? ''}}`);
}
