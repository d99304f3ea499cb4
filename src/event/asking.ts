/** "Which one" asks only at the beginning of a sentence: "it shows which of them failed" is not a question. */
const REQUEST =
  /\b((let me know|tell me) (which|whether|what|how)|let me know your|please (confirm|choose|decide|tell me)|(shall|should|may|can) i\b|(do|would) you (want|like|prefer)|(?<![\w,;)] )(which (one|of|option)|(reply|answer) with)|wait(ing)? for your)\b/i

/** A question mark at the end of a sentence. Chinese and Japanese have no space between sentences. */
const MARK =
  /[？؟՞፧]|\?(?=["'”’»)\]*_~!?]*(\s|$|\p{Extended_Pictographic}|\p{sc=Han}|\p{sc=Hiragana}|\p{sc=Katakana}))/u

/** The question mark of Greek looks like a semicolon, which Greek does not have. */
const GREEK = /\p{sc=Greek}["'”’»)\]*_]*[;\u037e](\s|$)/u

/** Questions that have no mark: polite ones in Japanese and Korean, and all in Thai. */
const UNMARKED =
  /(ます|ません|です|でしょう|ましょう)か([。．]|$)|(까요|나요|습니까)[.。]?$|(ไหม|มั้ย|หรือไม่|หรือเปล่า)(คะ|ครับ)?$/m

/** Whether a sentence ends with a question mark, or a phrase asks for something. Inline code does not count. */
export function asks(text: string): boolean {
  return asksInWords(text) || isMarked(spokenIn(text))
}

/** Whether a phrase asks for something, so that the question is not one that the agent answers itself. */
export function asksInWords(text: string): boolean {
  return REQUEST.test(spokenIn(text))
}

/** Whether the last sentence is a question. */
export function endsAsking(text: string): boolean {
  const sentences = spokenIn(text)
    .trimEnd()
    .split(/(?<=[.!?。！？])\s+|\n/)
  return isMarked(sentences.at(-1) ?? '')
}

function isMarked(spoken: string): boolean {
  return MARK.test(spoken) || GREEK.test(spoken) || UNMARKED.test(spoken)
}

function spokenIn(text: string): string {
  return text.replace(/`[^`\n]*`/g, '').replace(/https?:\/\/\S+/g, '')
}
