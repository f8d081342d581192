/** One event as the HTML standard reads it; `data` as it stands. */
export interface Frame {
  readonly event: string | null;
  readonly id: string | null;
  readonly data: string;
}

/** The standard's own reading, line by line, and nothing of ours: whoever breaks framing breaks it here. */
async function* frames(response: Response): AsyncGenerator<Frame> {
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (rest + chunk).split(/\r\n\r\n|\n\n|\r\r/);
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split(/\r\n|\n|\r/).filter((line) => !line.startsWith(':'));
      const valueOf = (name: string): string[] =>
        lines.flatMap((line) => (line.startsWith(`${name}:`) ? [line.slice(name.length + 1).replace(/^ /, '')] : []));
      const data = valueOf('data');
      if (data.length > 0)
        yield { event: valueOf('event').at(-1) ?? null, id: valueOf('id').at(-1) ?? null, data: data.join('\n') };
    }
  }
}

export async function allFrames(response: Response): Promise<Frame[]> {
  const all: Frame[] = [];
  for await (const frame of frames(response)) all.push(frame);
  return all;
}

/** Reads one frame and goes away: the connection is closed. */
export async function firstFrame(response: Response): Promise<Frame> {
  for await (const frame of frames(response)) return frame;
  throw new Error('the stream ended without a frame');
}

/** The JSON of each frame but `[DONE]`. */
export function chunksOf(all: readonly Frame[]): any[] {
  return all.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data));
}

export function textOf(all: readonly Frame[]): string {
  return chunksOf(all)
    .filter(({ type }) => type === 'text-delta')
    .map(({ delta }) => delta as string)
    .join('');
}
