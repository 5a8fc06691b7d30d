/**
 * What a name or a value may be made of, whoever gives it: characters that UTF-8 has a form for, and none that a terminal
 * obeys. Half a character (a lone surrogate) would be stored as another than the one its id was made of. White space may
 * stand in it, as it does in the text that is quoted.
 */
const UNPLAIN = /[^\P{Cc}\t-\r]|\p{Cs}/u;

export const isPlainText = (text: string): boolean => !UNPLAIN.test(text);

export const NOT_PLAIN = 'it holds control characters or half a character';
