/** Text that comes in pieces goes out in pieces, changed; what a stage holds back comes with a later piece, or at the end. */
export interface TextStage {
  push(piece: string): string;
  end(): string;
}

/** One after the other. */
export function chainStages(...stages: readonly TextStage[]): TextStage {
  return {
    push: (piece) => stages.reduce((text, stage) => stage.push(text), piece),
    end: () => stages.reduce((text, stage) => stage.push(text) + stage.end(), ''),
  };
}
