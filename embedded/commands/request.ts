import { rawDocuments, rawField } from '../bson/raw.ts';
import { type Document, isNumeric, isObject, kindOf, numeric } from '../bson/value.ts';
import { MongoFault } from '../fault.ts';
import { type Filter, parseFilter } from '../query/filter.ts';
import { parseSort, type SortField } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import type { Engine } from '../storage/engine.ts';

/** What the commands of one engine share. */
export interface Service {
  engine: Engine;
  password: string;
  address: string;
}

export interface Connection {
  id: number;
  authenticated: boolean;
}

export interface Request {
  service: Service;
  engine: Engine;
  connection: Connection;
  name: string;
  db: string;
  body: Document;
  raw: Uint8Array;
  sequences: Map<string, Uint8Array[]>;
}

export interface Command {
  /** The fields it takes beside the generic ones; any other is refused. */
  fields: readonly string[];
  write?: boolean;
  /** May be sent before authentication. */
  open?: boolean;
  /** A field whose documents are taken as raw bytes and not parsed with the body. */
  rawField?: string;
  run(request: Request): Document;
}

export function collectionName(request: Request): string {
  const name = request.body[request.name];
  if (typeof name !== 'string' || name === '')
    throw new MongoFault(73, `collection name has invalid type for ${request.name}`);
  return name;
}

export function collectionOf(request: Request): Collection | undefined {
  return request.engine.catalog.find(request.db, collectionName(request));
}

/** The documents of an array field, from the body or from a kind-1 section. */
export function documentsOf(request: Request, field: string): Uint8Array[] {
  const sequence = request.sequences.get(field);
  if (sequence) return sequence;
  const inBody = rawField(request.raw, field);
  if (inBody?.type !== 4)
    throw new MongoFault(40414, `BSON field '${request.name}.${field}' is missing but a required field`);
  return rawDocuments(inBody.bytes);
}

export function objectOf(value: unknown, what: string): Document {
  if (value === undefined) return {};
  if (!isObject(value)) throw new MongoFault(14, `BSON field '${what}' is the wrong type, expected type 'object'`);
  return value;
}

export function countOf(value: unknown, what: string, fallback: number): number {
  if (value === undefined || value === null) return fallback;
  const number = isNumeric(kindOf(value)) ? Number(numeric(value)) : NaN;
  if (!Number.isInteger(number))
    throw new MongoFault(14, `BSON field '${what}' is the wrong type, expected an integer`);
  if (number < 0) throw new MongoFault(51024, `BSON field '${what}' value must be >= 0, actual value '${number}'`);
  return number;
}

export function flagOf(value: unknown, what: string, fallback = false): boolean {
  if (value === undefined || value === null) return fallback;
  if (typeof value === 'boolean') return value;
  if (isNumeric(kindOf(value))) return Number(numeric(value)) !== 0;
  throw new MongoFault(14, `BSON field '${what}' is the wrong type, expected type 'bool'`);
}

export function filterOf(value: unknown, what: string): Filter {
  return parseFilter(objectOf(value, what));
}

export function sortOf(value: unknown, what: string): SortField[] {
  return parseSort(objectOf(value, what));
}
