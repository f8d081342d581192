import { foldText, wordsOf } from '#src/domain/embed-locally/fold-text.ts';
import { createStopWords } from '#src/domain/embed-locally/stop-words.ts';

/** Up to five words that the text repeats most, function words and short words left out; ties in reading order. */
export function topWords(text: string): string[] {
  const stopWords = createStopWords();
  const counts = new Map<string, number>();
  for (const word of wordsOf(foldText(text))) {
    if (word.length >= 5 && /^\p{L}+$/u.test(word) && !stopWords.has(word))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= 2)
    .toSorted((left, right) => right[1] - left[1])
    .slice(0, 5)
    .map(([word]) => word);
}
