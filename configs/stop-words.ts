/** Words that say nothing of what a request is about: those that every sentence has, and those that every request has. */
export const STOP_WORDS: { en: string; zh: string; ja: string } = {
  en: `a about above after again against all also am an and any are aren as at be because been before being below between both
but by can cannot could couldn d did didn do does doesn doing don done down during each either else etc ever every few for from
further get gets give given gives go goes going got had hadn has hasn have haven having he her here hers herself him himself his
how however i if in into is isn it its itself just let ll m may me might more most much must my myself neither no nor not now of
off on once one only or other others ought our ours ourselves out over own per quite rather re s same shall she should shouldn
since so some such t than that the their theirs them themselves then there these they this those though through thus to too
under until up upon us ve very was wasn we were weren what whatever when where whether which while who whom whose why will with
within without would wouldn yes yet you your yours yourself yourselves
access address answer answers article articles ask brief briefly content describe detail details display explain find help
information key link links list look main mention mentioned mentions name need open overview page pages please point points
provide question read reading report result results return say says search section sections see show site sites source state
stated states summaries summarise summarize summary tell text translate understand url use using view visit want web webpage
website word words write`,
  zh: `的 地 得 了 着 过 和 与 及 或 而 且 但 但是 并 并且 以及 还 还是 也 都 就 才 又 再 很 更 最 太 在 于 从 到 向 往 对 对于 关于 由 被 把 将 让
给 为 为了 因为 所以 由于 如果 虽然 不过 然后 之 其 其中 之前 之后 之间 以 以上 以下 以前 以后 是 不 不是 没 没有 有 无 能 能够 可 可以 会 要 想 应 应该
必须 需 需要 这 那 这个 那个 这些 那些 这里 那里 这样 那样 这篇 此 该 本 某 每 各 自己 我 你 您 他 她 它 我们 你们 他们 它们 大家 谁 什么 怎么 怎样 怎么样
如何 为什么 为何 哪 哪个 哪些 哪里 哪儿 哪种 几 几个 多 多少 多大 多长 多久 多高 多远 何 何时 何地 何种 吗 呢 吧 啊 呀 嘛 么 一 一个 一些 一下 一样 一种 一篇 一页
一句 一句话 个 些 种 次 件 条 位 名 上 下 中 里 内 外 前 后 时 时候 等 等等 所 所有 全部 只 只有 已 已经 正在 曾 曾经 刚 请 请问 帮 帮忙 帮我 麻烦 来 去
说 讲 做 用 使用 进行 通过 根据 按照 作为 成为 属于 包括 以外
中文 英文 介绍 信息 内容 全文 列出 告诉 回答 总结 归纳 打开 文章 文中 显示 查 查找 查看 查询 找 找到 找出 搜索 提到 概括 概述 概要 摘要 要点 主要 网址 网站 网页 页面
翻译 解释 说明 说说 访问 读 读取 读一读 阅读 地址 链接 看 看看 看一看 写 写出 提取 整理 分析 简要 简单 详细 具体 问题 结果 原文 资料 部分 章节 小节
这篇文章 这个网页 这个页面 这个网站 该网页 该页面 本文 此文 主要内容`,
  ja: `です ます でした ました ません する した して され ある あり いる から まで など この その あの どの これ それ あれ どれ ここ そこ どこ
もの こと ため よう という について ください 教え 何 誰 いつ なぜ どう`,
}
