import type { TextEmbedder } from '#src/domain/ports/models.ts';
import type { OtherEmbeddings } from '#src/stores/search/other-embeddings.ts';

/** Records in one look. */
const pageSize = 50;
/** As the node `embed_text` cuts by default. */
const mostCharacters = 200_000;

/**
 * Gives records with a text vector of another local embedder one of this embedder: vectors of different embedders are never compared, so
 * that until then words alone find these documents. Embedders of a provider cost money for each text, so nothing happens with
 * theirs. Another round continues after a crash. Source: docs/decisions/0144.
 */
export async function embedAgain(
  records: OtherEmbeddings,
  embedder: Pick<TextEmbedder, 'label' | 'embedDocument'>,
  signal: AbortSignal,
): Promise<{ embeddings: number }> {
  let embeddings = 0;
  if (!embedder.label.startsWith('local/')) return { embeddings };
  for (let after: string | null = ''; after !== null && !signal.aborted;) {
    const { rows, next } = await records.listAfter(after, embedder.label, {
      limit: pageSize,
      characters: mostCharacters,
    });
    for (const row of rows) {
      if (signal.aborted) break;
      const parts = [row.title, row.description, row.ocrText.toWellFormed()].filter((part) => part !== '');
      const { vector } = await embedder.embedDocument(parts.join('\n'));
      if (await records.replace(row, { label: embedder.label, vector })) embeddings += 1;
    }
    after = next;
  }
  return { embeddings };
}
