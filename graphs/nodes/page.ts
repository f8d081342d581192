import { PreprocessedFacts, readFacts } from '#graphs/nodes/facts.ts';
import type { NodeCall } from '#graphs/define.ts';
import type { PageImage } from '#src/domain/ports/image-codec.ts';

/**
 * The uploaded page with the changes of `preprocess`. The pixels are computed for each node, since the state holds facts only. Nodes that
 * call this must list `preprocessed` in `readsIfPresent`.
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
