import type { CallOptions } from './request.ts';

interface AnyPage {
  readonly nextCursor: string | null;
}
/** A method whose replies are pages: `client.service.listDocuments`, `client.records.query`. */
export type Paged<Input, Page extends AnyPage> = (
  input: Input & { readonly cursor?: string | undefined },
  options?: CallOptions,
) => Promise<Page>;

/** All pages of a list, one request each, as far as they are asked for. */
export async function* pages<Input extends object, Page extends AnyPage>(
  list: Paged<Input, Page>,
  input: Input,
  options?: CallOptions,
): AsyncGenerator<Page, void, undefined> {
  let cursor: string | null | undefined;
  do {
    const page: Page = await list({ ...input, cursor: cursor ?? undefined }, options);
    yield page;
    cursor = page.nextCursor;
  } while (cursor !== null);
}

type Lists<Page> = { [Name in keyof Page]: Page[Name] extends readonly unknown[] ? Name : never }[keyof Page];
type ItemOf<List> = List extends readonly (infer Item)[] ? Item : never;

/** All items of a list: `items(client.service.listDocuments, 'documents', { tag: 'paid' })`. */
export async function* items<Input extends object, Page extends AnyPage, Name extends Lists<Page>>(
  list: Paged<Input, Page>,
  name: Name,
  ...[input, options]: [input: Input, options?: CallOptions]
): AsyncGenerator<ItemOf<Page[Name]>, void, undefined> {
  for await (const page of pages(list, input, options)) yield* page[name] as Iterable<ItemOf<Page[Name]>>;
}
