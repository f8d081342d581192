/** Transforms a stream of text. A stage can hold text back until a later `push` or `end`. */
export interface TextStage {
  push(piece: string): string;
  end(): string;
}

/** Chains stages: the output of each is the input of the next. */
export function chainStages(...stages: readonly TextStage[]): TextStage {
  return {
    push: (piece) => stages.reduce((text, stage) => stage.push(text), piece),
    end: () => stages.reduce((text, stage) => stage.push(text) + stage.end(), ''),
  };
}
