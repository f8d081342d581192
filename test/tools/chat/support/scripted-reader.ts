import { chatStream, type Behaviour } from '#test/support/servers/openai-server.ts';

/** The last user message of a request, as the model got it. */
export function promptOf(body: any): string {
  return body.messages.at(-1).content;
}

/** The sources of a prompt, by number: what stands between the delimiters. */
export function sourcesIn(prompt: string): Map<number, string> {
  const found = prompt.matchAll(/^Source \[(\d+)\]:\n<(source_[0-9a-f]{12})>\n([\s\S]*?)\n<\/\2>/gm);
  return new Map([...found].map(([, index, , text]) => [Number(index), text ?? '']));
}

/** AnswerRegistry like a model that keeps to the rules: a quotation and its source where one holds the fact, else that there is none. */
export function scriptedReader(questions: readonly { readonly question: string; readonly fact?: string }[]): Behaviour {
  return ({ body }) => {
    const prompt = promptOf(body);
    const asked = questions.find(({ question }) => prompt.endsWith(`\n${question}`));
    const holding = [...sourcesIn(prompt)].find(
      ([, text]) => asked?.fact !== undefined && text.replaceAll('\n', ' ').includes(asked.fact),
    );
    if (holding === undefined) return chatStream('The sources do not say.');
    return chatStream(`It is there: "${asked?.fact}" [${holding[0]}]. And a mark that nobody gave [77].`);
  };
}
