import type { Document } from '../../bson/value.ts';
import type { Database } from '../../storage/database.ts';
import type { VectorCaches } from './caches.ts';
import { parseVectorDefinition, type VectorField } from './definition.ts';

/** A vectorSearch index: nothing of it is on disk, what a search needs is in the caches. */
export class VectorIndex {
  readonly type = 'vectorSearch';
  readonly id: number;
  readonly name: string;
  readonly definition: Document;
  readonly vectors: readonly VectorField[];
  readonly filters: readonly string[];
  /** Two indexes of one definition have the same. */
  readonly signature: string;
  readonly #caches: VectorCaches;

  constructor(database: Database, id: number, name: string, definition: Document) {
    const { vectors, filters } = parseVectorDefinition(definition);
    this.id = id;
    this.name = name;
    this.definition = definition;
    this.vectors = vectors;
    this.filters = filters;
    this.signature = JSON.stringify([vectors, filters]);
    this.#caches = database.vectors;
  }

  create(): void {
    this.drop();
  }

  drop(): void {
    this.#caches.drop(this.id);
  }

  add(row: number): void {
    this.#caches.note(this.id, row);
  }

  replace(row: number): void {
    this.add(row);
  }

  remove(row: number): void {
    this.add(row);
  }
}
