/** Text that says nothing, made of words of a language; the same seed gives the same text. */
export type Language = 'en' | 'zh' | 'ja' | 'ko' | 'ar'

const WORDS: Record<Language, readonly string[]> = {
  en: 'river bridge council money winter school engine garden letter market harbour station winter morning report water teacher village summer people report road answer number picture island doctor window story company north little early heavy quiet public ancient narrow open carried built found asked told began moved opened closed wrote planned painted counted followed crossed between after before under without along because while although'.split(
    ' ',
  ),
  zh: '大桥 河流 会议 城市 冬天 学校 工程 花园 市场 车站 早晨 报告 老师 村庄 夏天 居民 道路 答案 数字 图片 岛屿 医生 窗户 故事 公司 北方 已经 正在 开始 完成 提出 建设 发现 认为 表示 参加 经过 因为 虽然 之后 以前 附近 许多 重要 安静 古老 公共 没有 可以 需要 他们 我们 这些 那里'.split(
    ' ',
  ),
  ja: '橋は 川を 会議で 町の 冬に 学校が 工事を 庭の 市場で 駅まで 朝から 報告が 先生は 村の 夏も 人々が 道を 答えは 数字の 写真を 島へ 医者が 窓から 物語の 会社で 北に 静かな 古い 新しい 小さな 始まる 終わった 作られた 見つけて 話した 考えて 渡って 歩いた そして しかし あとで 前に'.split(
    ' ',
  ),
  ko: '다리는 강을 회의에서 도시의 겨울에 학교가 공사를 정원의 시장에서 역까지 아침부터 보고가 선생님은 마을의 여름도 사람들이 길을 대답은 숫자의 사진을 섬으로 의사가 창문에서 이야기의 회사에서 북쪽에 조용한 오래된 새로운 작은 시작했다 끝났다 만들었다 찾았다 말했다 생각했다 건넜다 그리고 그러나 나중에 전에'.split(
    ' ',
  ),
  ar: 'الجسر النهر المجلس المدينة الشتاء المدرسة المهندس الحديقة الرسالة السوق الميناء المحطة الصباح التقرير الماء المعلم القرية الصيف الناس الطريق الجواب العدد الصورة الجزيرة الطبيب النافذة القصة الشركة الشمال قديم هادئ جديد بدأ انتهى وجد سأل قال كتب عبر بعد قبل تحت لأن'.split(
    ' ',
  ),
}
const SPACELESS: ReadonlySet<Language> = new Set(['zh', 'ja'])

export class Writer {
  readonly #language: Language
  #state: number

  constructor(language: Language, seed: number) {
    this.#language = language
    this.#state = seed * 7_919 + 17
  }

  /** A whole number from 0 to `below` − 1. */
  pick(below: number): number {
    this.#state = (this.#state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((this.#state / 2_147_483_648) * below)
  }

  words(count: number): string {
    const known = WORDS[this.#language]
    const isSpaceless = SPACELESS.has(this.#language)
    return Array.from({ length: count }, () => known[this.pick(known.length)]).join(isSpaceless ? '' : ' ')
  }

  sentence(): string {
    const [comma, stop] = SPACELESS.has(this.#language) ? ['，', '。'] : [', ', '. ']
    const text = `${this.words(4 + this.pick(5))}${comma}${this.words(4 + this.pick(6))}${stop}`
    return text[0]?.toUpperCase() + text.slice(1)
  }

  paragraph(sentences = 3 + this.pick(3)): string {
    return Array.from({ length: sentences }, () => this.sentence())
      .join('')
      .trim()
  }

  paragraphs(count: number): string[] {
    return Array.from({ length: count }, () => this.paragraph())
  }

  headline(): string {
    const text = this.words(6 + this.pick(3))
    return text[0]?.toUpperCase() + text.slice(1)
  }

  /** As many as asked for, each made of the number of its place. */
  times(count: number, make: (index: number) => string): string {
    return Array.from({ length: count }, (_, index) => make(index)).join('\n')
  }
}
