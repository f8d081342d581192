import { testDatabase } from '#test/support/database.ts';
import { createSearchIndex } from '#src/adapters/database/search-index.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { qualityDocuments } from '#test/search-quality/documents.ts';
import { qualityQueries } from '#test/search-quality/queries.ts';
import { byGroup, loadQualityDocuments, mean, measure, qualityTenant } from '#test/search-quality/measure.ts';
const docs = qualityDocuments();
const queries = qualityQueries(docs);
const { text: embedder } = createLocalModels();
const db = await testDatabase();
await loadQualityDocuments(db.collections, docs, embedder);
const index = createSearchIndex(db.collections, { mode: 'hybrid', embedder });
const rank = (mode: 'lexical' | 'hybrid') => async (text: string) => (await index.search({ ...qualityTenant, text, mode, limit: 10 })).hits.map((h) => h.documentId);
const show = (n: string, x: any) => console.log(n.padEnd(22), [...byGroup(x).values()].map((v) => v.toFixed(3)).join(' '), mean(x).toFixed(4));
console.log([...byGroup(await measure(docs, queries, rank('lexical'))).keys()].map(k=>k.slice(0,5)).join(' '));
show('lexical', await measure(docs, queries, rank('lexical')));
for (const LC of (process.env['LCS'] ?? '0').split(',')) for (const W of (process.env['WS'] ?? '1,0.7,0.5').split(',')) for (const C of (process.env['CS'] ?? '0,0.5,0.7,0.8,0.9').split(',')) {
  process.env['W'] = W; process.env['C'] = C; process.env['LC'] = LC;
  // fresh module state for weights
  show(`LC ${LC} W ${W} C ${C}`, await measure(docs, queries, rank('hybrid')));
}
await db.close();
