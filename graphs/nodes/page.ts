import { PreprocessedFacts, readFacts } from '#graphs/nodes/facts.ts';
import type { NodeCall } from '#graphs/define.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';

/**
 * The page as later nodes see it: as uploaded, with what `preprocess` found to do. Its pixels are made again for each node, since state
 * holds facts only. Nodes that use it name `preprocessed` in `readsIfPresent`.
 */
export async function pageOf(
  { deps, run, state, signal }: Pick<NodeCall<unknown>, 'deps' | 'run' | 'state' | 'signal'>,
  index: number,
): Promise<PageImage> {
  const document = await deps.document(run);
  const page = await document.page(index, signal);
  const found = readFacts(state, 'preprocessed', PreprocessedFacts)?.pages.find((one) => one.index === index);
  if (found === undefined) return page;
  const { index: _index, ...change } = found;
  return deps.images.transform(page, change, signal);
}
