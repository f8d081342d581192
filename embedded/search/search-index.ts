import type { Document } from '../bson/value.ts';
import { someAt } from '../query/path.ts';
import type { Database } from '../storage/database.ts';
import { type Mapping, parseDefinition } from './definition.ts';
import { TextField } from './text-field.ts';

/** One Atlas-style search index, kept in the same transaction as its documents. */
export class SearchIndex {
  readonly id: number;
  readonly name: string;
  readonly definition: Document;
  readonly mapping: Mapping;
  readonly texts: readonly TextField[];

  constructor(database: Database, id: number, name: string, definition: Document) {
    this.id = id;
    this.name = name;
    this.definition = definition;
    this.mapping = parseDefinition(definition);
    this.texts = this.mapping.texts.map(
      ({ path, analyzer }, at) => new TextField(database, `s${id}_${at}`, path, analyzer),
    );
  }

  create(): void {
    for (const text of this.texts) text.create();
  }

  drop(): void {
    for (const text of this.texts) text.drop();
  }

  add(row: number, doc: Document): void {
    for (const field of this.texts) field.add(row, textAt(doc, field.parts));
  }

  replace(row: number, before: Document, after: Document): void {
    for (const field of this.texts) {
      const old = textAt(before, field.parts);
      const text = textAt(after, field.parts);
      if (old === text) continue;
      field.remove(row, old);
      field.add(row, text);
    }
  }

  remove(row: number, doc: Document): void {
    for (const field of this.texts) field.remove(row, textAt(doc, field.parts));
  }
}

/** All strings the path leads to, arrays included, as one text. */
function textAt(doc: Document, parts: readonly string[]): string {
  const texts: string[] = [];
  someAt(doc, parts, true, (leaf) => {
    if (typeof leaf === 'string' && leaf !== '') texts.push(leaf);
    return false;
  });
  return texts.join('\n');
}
