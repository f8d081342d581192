import { Agent } from 'node:http';
import { searchText } from '#scripts/bench/documents/search-records.ts';
import { figureOf, median, type Figure } from '#scripts/bench/figures.ts';
import { httpSend, inLanes } from '#scripts/bench/processes/http-send.ts';
import { startInkgraph, type Inkgraph } from '#scripts/bench/processes/inkgraph.ts';
import { scaled, type BenchContext, type Line, type Row } from '#scripts/bench/row.ts';
import { archiveWords, makeArchive } from '#scripts/bench/search/archive.ts';

/** Documents, and the goal of p50 of a hybrid search over them. */
const sizes = [
  { documents: 10_000, hybridMs: 15 },
  { documents: 100_000, hybridMs: 50 },
] as const;
const words = 3;
const mebibyte = 1024 * 1024;

/** Session cookie of the seeded operator, as a browser sends it. */
async function signIn({ addresses, seed }: Inkgraph): Promise<string> {
  const answer = await fetch(new URL('/api/auth/sign-in/email', addresses.api), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: seed.operatorEmail, password: seed.operatorPassword }),
  });
  if (!answer.ok) throw new Error(`sign-in answered ${answer.status}: ${await answer.text()}`);
  const cookies = answer.headers.getSetCookie();
  return cookies.map((line) => line.slice(0, line.indexOf(';'))).join('; ');
}

/** One after the other; `query` says what is asked the n-th time. The first run is for warmth. */
async function timed(
  context: BenchContext,
  { inkgraph, cookie }: { readonly inkgraph: Inkgraph; readonly cookie: string },
  count: number,
  query: (n: number) => string,
): Promise<Figure> {
  const agent = new Agent({ keepAlive: true });
  const runs: number[] = [];
  const single: number[] = [];
  try {
    for (let run = 0; run <= context.runs; run += 1) {
      const { latenciesMs } = await inLanes(count, 1, async (at) => {
        const url = `${inkgraph.addresses.api}/api/dashboard/documents?${query(run * count + at)}`;
        const { status, body } = await httpSend(agent, { method: 'GET', url, headers: { cookie } });
        if (status !== 200 || !body.includes('"thumbnailUrl"')) throw new Error(`answered ${status}: ${body}`);
      });
      if (run === 0) continue;
      runs.push(median([...latenciesMs]));
      single.push(...latenciesMs);
    }
  } finally {
    agent.destroy();
  }
  return figureOf(runs, single);
}

async function measureSize(context: BenchContext, size: (typeof sizes)[number]): Promise<Line[]> {
  const documents = scaled(context, size.documents);
  const dataDir = await makeArchive(context, documents);
  const lines: Line[] = [];
  const of = `${documents} documents of a project`;
  const line = { id: 'S2', unit: 'ms' } as const;
  for (const mode of ['lexical', 'hybrid'] as const) {
    await using inkgraph = await startInkgraph(context, 'api', { DOCUMENT_SEARCH_MODE: mode }, dataDir);
    const caller = { inkgraph, cookie: await signIn(inkgraph) };
    context.progress(`${mode} over ${documents} documents`);
    if (mode === 'lexical') {
      const ours = await timed(context, caller, scaled(context, 200), () => 'limit=25');
      lines.push({ ...line, what: `dashboard list of 25, ${of}`, ours });
    }
    const ask = (n: number): string => `limit=25&query=${encodeURIComponent(searchText(n, words))}`;
    const search = (): Promise<Figure> => timed(context, caller, scaled(context, 40), ask);
    const { result: ours } = await inkgraph.service.count(`S2-${mode}-${documents}`, search);
    const { rssBytes } = await inkgraph.service.usage();
    const note = `${Math.round(rssBytes / mebibyte)} MiB resident in the process with API and engine; ${archiveWords} words a document`;
    const goal = mode === 'hybrid' ? ({ of: 'value', atMost: size.hybridMs } as const) : undefined;
    const what = `dashboard ${mode} search of ${words} words, 25 cards, ${of}`;
    lines.push({ ...line, what, ours, note, ...(goal !== undefined && { goal }) });
  }
  return lines;
}

/** S2: what an operator waits for, end to end over HTTP with a session: listing and searching, one request at a time. */
export const searchLatency: Row = {
  id: 'S2',
  async measure(context) {
    const lines: Line[] = [];
    for (const size of sizes) lines.push(...(await measureSize(context, size)));
    return lines;
  },
};
