"""Words of tools and of questions about them: names taken apart, English stems, pairs of Chinese characters, synonyms."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
_TOKEN = re.compile(rf"(?P<run>[{_HAN}]+)|(?P<word>[^\W_{_HAN}]+)")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_POSSESSIVE = re.compile(r"(?<=\w)['’]s\b")
_MAX_WORD_CHARS = 40
_MAX_WORDS = 4_000
_MAX_QUERY_CHARS = 1_000
_MAX_QUERY_WORDS = 64
_STOP_WORDS = """
a about all an and any are as at be been both but by can could did do does each for from had has have how i if in into is it its
just let like may me might mine more most much must my need no not of off on once one only or other our out over please same
shall she should so some such tell than that the their them then there these they this those through to too under until up us
very want was we were what when where which while who whom whose why will with would you your use used using tool given e g etc
also optional default whether
"""
_STOP = frozenset(_STOP_WORDS.split())
"""Words that say nothing of what a tool is for."""

_VERBS = frozenset(
    ("add", "creat", "delet", "fetch", "find", "get", "list", "read", "remov", "run", "search", "send", "set", "tak", "updat")
)

_STOP_RUNS = re.compile(
    "请问|请|帮我|帮忙|怎么样|怎么|怎样|如何|什么|哪些|哪个|一下|一个|两个|几个|我的|我们|这个|那个|可以|能否|是否|把|将|给|的|了|吗|呢|吧"
)

_GROUPS = """
image picture photo
screenshot capture 截图 截屏 屏幕截图
directory folder 目录 文件夹
file document 文件 文档
delete remove erase 删除 移除 删掉
create new make add 创建 新建 建立 新增 添加
insert add 插入
edit change modify update alter 修改 编辑 更改 更新
read view open show see 读取 查看 打开 阅读 显示
write save store 写入 写 保存 存储
list enumerate 列出 列表 清单
search find lookup look 搜索 查找 查询 寻找 检索
copy duplicate clone 复制 拷贝
fork copy 派生
rename 重命名 改名
move 移动
merge combine join 合并
unmerge split 拆分
convert turn transform translate 转换 换算 转成 转为
compress zip gzip 压缩
upload attach 上传
download fetch get 下载 获取 抓取
send submit 发送
repository repo 仓库 代码库
branch 分支
commit 提交
change diff difference 更改 改动 差异 变更
pull request pr 拉取请求 合并请求
issue ticket bug 问题 议题 工单
comment remark reply 评论 留言
review 审查 评审
user person people 用户 人
code program source 代码 源码 程序
page webpage 页面 网页
website site web internet online 网站 网络 互联网 上网
browser 浏览器
tab 标签页 选项卡
click press 点击 单击 按下
key keyboard 按键 键盘
hover 悬停
drag 拖动 拖拽
form input field 表单 输入框 输入
fill enter type 填写 填入
dialog popup alert confirm confirmation 对话框 弹窗
console log 控制台 日志
network request http 网络请求 请求
video movie film 视频
record recording screencast 录制 录屏 录像
news article 新闻
place local location nearby near restaurant shop 地点 附近 餐馆 饭店 地方
summary summarize summarise 摘要 总结 概括
paper research study scientific arxiv 论文 研究
time clock hour 时间 几点 时刻
timezone zone 时区
date day 日期
sheet worksheet tab 工作表 表单
workbook spreadsheet excel 工作簿 电子表格 表格
cell 单元格
row line 行
column 列
chart graph plot diagram 图表 图 柱状图 折线图
pivot 透视 数据透视表
formula 公式
format style 格式 样式
table 表格 表
database db sql 数据库
query sql 查询
environment env variable 环境变量 环境
number sum total addition 数字 求和 总和
weather forecast 天气
watch monitor observe track 监控 监视 关注 跟踪
performance speed slow fast 性能 速度
memory heap 内存
remember forget knowledge entity observation fact recall 记住 忘记 记忆 知识图谱
entity node 实体 节点
relation link edge 关系
stop end cancel 停止 结束
start begin run launch 开始 启动 运行
wait 等待
back previous return 返回 后退 上一页
history log past earlier 历史 记录
undo revert reset unstage 撤销 取消暂存 重置
stage add staging 暂存
switch checkout change 切换
status state 状态
size large big dimension bytes 大小 尺寸
resize 调整大小
url link address 链接 网址 地址
library package documentation docs api 库 文档
javascript script js 脚本
markdown 转为markdown
element button 元素 按钮
select choose pick option 选择 选中
dropdown select 下拉
email mail message 邮件 邮箱
buy order purchase 购买 订单
price cost fee 价格 费用
calendar event appointment meeting 日历 日程 会议
translate translation 翻译
"""


def _groups() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in _GROUPS.strip().splitlines():
        terms = [stem(word) for word in row.split()]
        for term in terms:
            found.setdefault(term, set()).update(other for other in terms if other != term and other.isascii())
    return {term: frozenset(others) for term, others in found.items()}


def name_words(name: str) -> list[str]:
    """Take a name apart: snake_case, camelCase, dots, digits."""
    return words(_HUMPS.sub(" ", name))


def topics(names: Iterable[str], limit: int) -> list[str]:
    """Give the words that stand in most of the names, but for those of what is done with everything."""
    counted: Counter[str] = Counter()
    for name in names:
        plain = unicodedata.normalize("NFKC", _HUMPS.sub(" ", name)).casefold()
        counted.update(list(dict.fromkeys(match.group() for match in _TOKEN.finditer(plain))))
    return [word for word, _ in counted.most_common() if len(word) > 1 and stem(word) not in _VERBS][:limit]


def words(text: str) -> list[str]:
    """Give the words of a text as they are counted: stems, and pairs of characters where there are no spaces."""
    plain = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", text))
    return [word for word, _ in zip(_words(_HUMPS.sub(" ", plain).casefold()), range(_MAX_WORDS), strict=False)]


def query_words(query: str) -> list[dict[str, float]]:
    """Give what to look for: for each word of the query its forms, the word itself and what else it may be called."""
    plain = words(_STOP_RUNS.sub(" ", query))[:_MAX_QUERY_WORDS]
    wanted = [{word: 1.0, **_others(word, 0.5)} for word in dict.fromkeys(plain)]
    return wanted + [_others(term, 0.8) for term in _han_terms(query)]


def _others(word: str, weight: float) -> dict[str, float]:
    return dict.fromkeys(SYNONYMS.get(word, ()), weight)


def _words(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        run = match["run"]
        if run is not None:
            yield from ([run] if len(run) == 1 else [run[at : at + 2] for at in range(len(run) - 1)])
        elif (word := match["word"][:_MAX_WORD_CHARS]) not in _STOP:
            yield stem(word)


def _han_terms(query: str) -> list[str]:
    """Find the Chinese words in a query that have English ones beside them, wherever they stand, the longest first."""
    found: list[str] = []
    rest = unicodedata.normalize("NFKC", query[:_MAX_QUERY_CHARS])
    for term in _HAN_TERMS:
        if term in rest:
            found.append(term)
            rest = rest.replace(term, " ")
    return found


def stem(word: str) -> str:
    """Reduce an English word to what its forms share; other words stay."""
    if not word.isascii() or len(word) < 4 or any(map(str.isdigit, word)):
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif re.search(r"(?:s|x|z|ch|sh)es$", word):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and re.search(r"[aeiouy]", word[: -len(ending)]) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            word = word[:-1] if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "lsz" else word
            break
    return word[:-1] if word.endswith("e") and len(word) > 3 else word


SYNONYMS = _groups()
_HAN_TERMS = sorted((term for term in SYNONYMS if not term.isascii()), key=len, reverse=True)
