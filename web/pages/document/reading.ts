import type { PageBox } from '../../page-view/overlay.tsx';
import type { TextPage } from '../../page-view/words.ts';
import type { Store } from '../../state/store.ts';
import type { Reply } from '../../api/families.ts';
import type { Lit, Place } from './place.ts';

export type Detail = Reply<'documents', 'get'>;

export type Texts = Reply<'documents', 'ocr'>;
export type Version = Texts['results'][number];

/** A place that a tab marks on a page of the document. */
export interface Mark extends PageBox {
  readonly page: number;
}

/** One document as it is read: what the two sides of the page share. */
export interface Reading {
  readonly document: Detail;
  readonly place: Place;
  /** Version of the text that `text` is of. */
  readonly version: Version | undefined;
  /** Engine of a text that a run has not finished; undefined: `version` is shown, if there is a text. */
  readonly unfinishedBy: string | undefined;
  /** Text of the page that is shown; undefined: not read, or not loaded yet. */
  readonly text: TextPage | undefined;
  readonly lit: Lit;
  readonly marks: Store<readonly Mark[]>;
}
